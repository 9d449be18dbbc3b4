#!/usr/bin/env node
/**
 * Replaces curl on a machine without curl. It supports the options and exit codes that the
 * documentation needs, and refuses every other option.
 */
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const [WRONG_OPTION, NOT_CONNECTED, HTTP_ERROR] = [2, 7, 22]
const FORM = 'application/x-www-form-urlencoded'
const OPTIONS = {
  silent: { type: 'boolean', short: 's' },
  'show-error': { type: 'boolean', short: 'S' },
  fail: { type: 'boolean', short: 'f' },
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true, default: [] },
  data: { type: 'string', short: 'd' },
  'data-binary': { type: 'string' },
}

await main().catch((error) => end(NOT_CONNECTED, error.cause?.message ?? error.message))

async function main() {
  const { values, positionals } = parse()
  const body = await bodyOf(values.data ?? values['data-binary'])
  const headers = new Headers(body === undefined ? {} : { 'content-type': FORM })
  for (const line of values.header) headers.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1))
  const method = values.request ?? (body === undefined ? 'GET' : 'POST')
  const answer = await fetch(positionals[0], { method, headers, body, redirect: 'manual' })
  if (values.fail && answer.status >= 400) end(HTTP_ERROR, `the server answered ${answer.status}`)
  process.stdout.write(Buffer.from(await answer.arrayBuffer()))
}

function parse() {
  try {
    const parsed = parseArgs({ options: OPTIONS, allowPositionals: true })
    if (parsed.positionals.length !== 1) throw new Error('one address is needed')
    return parsed
  } catch (error) {
    return end(WRONG_OPTION, error.message)
  }
}

async function bodyOf(given) {
  if (given === '@-') return text(process.stdin)
  if (given?.startsWith('@')) end(WRONG_OPTION, 'of files only @- is read')
  return given
}

function end(code, why) {
  process.stderr.write(`curl (stand-in of the tests): ${why}\n`)
  process.exit(code)
}
