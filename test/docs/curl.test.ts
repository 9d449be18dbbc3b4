import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const STAND_IN = fileURLToPath(new URL('curl.mjs', import.meta.url))

/** Replies with the received request; `/no` returns 404. */
const server = createServer(async (request, response) => {
  const { method, url, headers } = request
  const received = [method, url, headers['content-type'], headers['x-one'], await text(request)]
  response.writeHead(url === '/no' ? 404 : 200).end(JSON.stringify(received))
})
let base: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

async function curl(args: readonly string[], input = '') {
  const child = spawn(process.execPath, [STAND_IN, ...args])
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, code }
}

describe('the test double for curl', () => {
  const form = 'application/x-www-form-urlencoded'
  const json = ['-H', 'content-type: application/json']
  test.each([
    ['a GET', ['-sS', '/a?b=c'], ['GET', '/a?b=c', null, null, '']],
    ['a POST', ['-sS', '/', '-H', 'X-One: 1', '-d', ' {} '], ['POST', '/', form, '1', ' {} ']],
    ['a PUT', ['-s', '-X', 'PUT', '/', ...json, '-d', '{}'], ['PUT', '/', 'application/json', null, '{}']],
    ['its input', ['-sS', '/', '--data-binary', '@-'], ['POST', '/', form, null, 'in\n']],
  ])('sends %s', async (_what, args, received) => {
    const { stdout, code } = await curl(
      args.map((one) => (one.startsWith('/') ? base + one : one)),
      'in\n',
    )
    expect({ code, received: JSON.parse(stdout) }).toEqual({ code: 0, received })
  })

  test('refuses an option that it does not implement', async () => {
    const { stdout, stderr, code } = await curl(['-sS', '--compressed', base])
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr).toContain("Unknown option '--compressed'")
  })

  test('ends like curl when no server listens, and on an error with -f', async () => {
    expect(await curl(['-sf', 'http://127.0.0.1:1/'])).toMatchObject({ code: 7, stdout: '' })
    expect(await curl(['-sf', `${base}/no`])).toMatchObject({ code: 22, stdout: '' })
    expect(await curl(['-s', `${base}/no`])).toMatchObject({ code: 0 })
  })
})
