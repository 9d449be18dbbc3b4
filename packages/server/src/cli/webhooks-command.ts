/** `purser webhooks` manages a wallet's webhooks through its API, with a key of the role admin. */
import { readFileSync } from 'node:fs'
import { callApi } from '@purser/protocol/client/api-client'
import { isObject } from '@purser/protocol/values/exact-json'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { EXIT_CODES } from '@purser/runtime/command/exit-codes'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { parseHeaders } from '@purser/runtime/network/extra-headers'
import { type Command, InvalidArgumentError } from 'commander'
import { type ApiFlags, describeApiFlag, describeKeyFlag, resolveApi } from './api-flags.ts'

interface Flags extends ApiFlags {
  readonly json?: true
}

interface ConnectionFlags {
  /** False with --no-connection. */
  readonly connection: boolean
  readonly header?: readonly string[] | undefined
  readonly ca?: string | undefined
  readonly clientCertificate?: string | undefined
  readonly clientKey?: string | undefined
}

interface SaveFlags extends Flags, ConnectionFlags {
  readonly event?: readonly string[]
  readonly after?: string
}

type Members = Readonly<Record<string, unknown>>

export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manages the webhooks that receive a wallet’s changes over HTTP, signed by Standard Webhooks')
    .addHelpText(
      'before',
      formatExamples(
        'OPERATOR_API_KEY=… purser webhooks list',
        'purser webhooks save crm https://crm.example/purser --event bet.placed bet.settled --key …',
        'purser webhooks replay crm --from 2026-05-16T18:00:00Z --key …',
      ),
    )
  addApiFlags(webhooks.command('list').description('lists all webhooks with their state')).action((flags: Flags) =>
    listWebhooks(flags),
  )
  addApiFlags(webhooks.command('save <name> <url>').description('creates a webhook, changes it, or enables it again'))
    .option('--event <names...>', 'only these events; default: all')
    .option('--after <cursor>', 'start after this event; default: a new webhook receives only new events')
    .option(
      '--header <headers...>',
      "headers to send with every message, as in 'X-Api-Key: …'; they replace earlier headers",
    )
    .option('--ca <file>', 'PEM file with the CA certificates that may sign its certificate')
    .option('--client-certificate <file>', 'PEM file with the client certificate')
    .option('--client-key <file>', 'PEM file with the key of the client certificate')
    .option('--no-connection', 'remove its headers, CA and client certificate')
    .action((name: string, url: string, { event, after, ...flags }: SaveFlags) =>
      runRequest(flags, 'PUT', encodePathSegment(name), {
        url,
        ...(event && { events: event }),
        ...(after !== undefined && { after }),
        ...connectionOf(flags),
      }),
    )
  addApiFlags(
    webhooks
      .command('test <name>')
      .description('sends a test message now and prints the result; exit 1 if it was not accepted'),
  ).action(async (name: string, flags: Flags) => {
    const answer = await requestAndPrint(flags, 'POST', `${encodePathSegment(name)}/test`)
    if (answer?.delivered !== true) process.exitCode = EXIT_CODES.findings
  })
  addApiFlags(webhooks.command('replay <name>').description('resends all events after an event or since a time'))
    .option('--after <cursor>', 'all events after this event')
    .option('--from <time>', 'all events since this time, as in 2026-05-16T18:00:00Z')
    .action((name: string, { after, from, ...flags }: Flags & { after?: string; from?: string }) => {
      if ((after === undefined) === (from === undefined))
        throw new UsageError('the start of the replay is missing: give --after or --from')
      return runRequest(flags, 'POST', `${encodePathSegment(name)}/replay`, after === undefined ? { from } : { after })
    })
  addApiFlags(webhooks.command('rotate <name>').description('replaces its secret; the new secret is shown once'))
    .option('--overlap <seconds>', 'seconds for which the old secret also signs', parseSeconds, 86_400)
    .action((name: string, { overlap, ...flags }: Flags & { overlap: number }) =>
      runRequest(flags, 'POST', `${encodePathSegment(name)}/rotate`, { overlapSeconds: overlap }),
    )
  addApiFlags(webhooks.command('remove <name>').description('ends it')).action((name: string, flags: Flags) =>
    runRequest(flags, 'DELETE', encodePathSegment(name)),
  )
}

/** A member without a flag keeps its stored value. */
function connectionOf({ connection, header, ca, clientCertificate, clientKey }: ConnectionFlags) {
  const files = { ca, certificate: clientCertificate, key: clientKey }
  const read = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, textOf(path)] as const],
  )
  const given = { ...(header && { headers: parseHeaders(header) }), ...Object.fromEntries(read) }
  if (Object.keys(given).length === 0) return connection ? {} : { connection: null }
  if (!connection)
    throw new UsageError('--no-connection cannot be used with --header, --ca or --client-…: leave it out')
  return { connection: given }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function addApiFlags(command: Command): Command {
  return command
    .option('--api <url>', describeApiFlag())
    .option('--key <key>', describeKeyFlag(undefined, 'an admin key'))
    .option('--json', 'print the answer as JSON')
}

function parseSeconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Use a number of seconds.')
  return Number.parseInt(text, 10)
}

async function listWebhooks(flags: Flags): Promise<void> {
  const { data } = await requireAnswer<{ data: Members[] }>(flags, 'GET', '')
  if (flags.json) return printResult(JSON.stringify(data))
  if (data.length === 0) printResult('no webhooks')
  for (const { webhookId, state, url, lastError } of data)
    printResult(
      [String(webhookId).padEnd(16), String(state).padEnd(8), url, ...(lastError ? [`(${lastError})`] : [])].join('  '),
    )
}

async function runRequest(flags: Flags, method: string, path: string, body?: object): Promise<void> {
  await requestAndPrint(flags, method, path, body)
}

/** Resolves to the printed answer. */
async function requestAndPrint(flags: Flags, method: string, path: string, body?: object): Promise<Members | null> {
  const answer = await requireAnswer<Members | null>(flags, method, `/${path}`, body)
  if (flags.json) printResult(JSON.stringify(answer))
  else
    for (const [name, value] of Object.entries(answer ?? { done: true }))
      printResult(`${name.padEnd(12)}  ${isObject(value) ? JSON.stringify(value) : String(value)}`)
  return answer
}

async function requireAnswer<T>(flags: Flags, method: string, path: string, body?: object) {
  const api = resolveApi('wallet', flags)
  const answer = await callApi<T>(api, method, `/operator/webhooks${path}`, body)
  if (answer === undefined)
    throw new UsageError(`${api.url} has no such webhook, or is not a Purser wallet: check the name and --api`)
  return answer
}
