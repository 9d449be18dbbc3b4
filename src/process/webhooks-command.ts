/** `purser webhooks`: who is told of a wallet's changes. It asks the wallet's own API, with a key of the role admin. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { formatExamples, printResult } from '../config/command-help.ts'
import { callApi } from '../http/api-client.ts'
import { isObject } from '../protocol/exact-json.ts'
import { encodePathSegment } from '../protocol/path-segment.ts'
import { UsageError } from '../runtime/cli-errors.ts'
import { parseHeaders } from '../runtime/extra-headers.ts'
import { type ApiFlags, describeApiFlag, describeKeyFlag, resolveApi } from './api-flags.ts'
import { EXIT_CODES } from './exit-codes.ts'

interface Flags extends ApiFlags {
  readonly json?: true
}

interface ConnectionFlags {
  /** False by --no-connection. */
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
    .description('who is told of a wallet’s changes, over HTTP, signed as Standard Webhooks has it')
    .addHelpText(
      'before',
      formatExamples(
        'OPERATOR_API_KEY=… purser webhooks list',
        'purser webhooks save crm https://crm.example/purser --event bet.placed bet.settled --key …',
        'purser webhooks replay crm --from 2026-05-16T18:00:00Z --key …',
      ),
    )
  addApiFlags(webhooks.command('list').description('all of them, with their state')).action((flags: Flags) =>
    listWebhooks(flags),
  )
  addApiFlags(
    webhooks.command('save <name> <url>').description('makes one, changes it, or goes on with one that is disabled'),
  )
    .option('--event <names...>', 'only these events; absent: all')
    .option('--after <cursor>', 'begins behind this event; absent: a new one with what comes')
    .option('--header <headers...>', "sent with every message: 'X-Api-Key: …'; they replace those of before")
    .option('--ca <file>', 'authorities in PEM that may sign its certificate')
    .option('--client-certificate <file>', 'the client certificate in PEM')
    .option('--client-key <file>', 'the key of the client certificate in PEM')
    .option('--no-connection', 'removes its headers, CA and client certificate')
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
      .description('sends it a message now, and says what came of it; exit 1 if it was not taken'),
  ).action(async (name: string, flags: Flags) => {
    const answer = await requestAndPrint(flags, 'POST', `${encodePathSegment(name)}/test`)
    if (answer?.delivered !== true) process.exitCode = EXIT_CODES.findings
  })
  addApiFlags(webhooks.command('replay <name>').description('sends everything again from an event or a time on'))
    .option('--after <cursor>', 'everything behind this event')
    .option('--from <time>', 'everything from this time on: 2026-05-16T18:00:00Z')
    .action((name: string, { after, from, ...flags }: Flags & { after?: string; from?: string }) => {
      if ((after === undefined) === (from === undefined)) throw new UsageError('give --after or --from')
      return runRequest(flags, 'POST', `${encodePathSegment(name)}/replay`, after === undefined ? { from } : { after })
    })
  addApiFlags(webhooks.command('rotate <name>').description('gives it another secret, which is shown this once'))
    .option('--overlap <seconds>', 'for so long the one before it signs too', parseSeconds, 86_400)
    .action((name: string, { overlap, ...flags }: Flags & { overlap: number }) =>
      runRequest(flags, 'POST', `${encodePathSegment(name)}/rotate`, { overlapSeconds: overlap }),
    )
  addApiFlags(webhooks.command('remove <name>').description('ends it')).action((name: string, flags: Flags) =>
    runRequest(flags, 'DELETE', encodePathSegment(name)),
  )
}

/** A member that has no flag stays as it is saved. */
function connectionOf({ connection, header, ca, clientCertificate, clientKey }: ConnectionFlags) {
  const files = { ca, certificate: clientCertificate, key: clientKey }
  const read = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, textOf(path)] as const],
  )
  const given = { ...(header && { headers: parseHeaders(header) }), ...Object.fromEntries(read) }
  if (Object.keys(given).length === 0) return connection ? {} : { connection: null }
  if (!connection) throw new UsageError('--no-connection removes what --header, --ca and --client-… give: leave it out')
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
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.')
  return Number.parseInt(text, 10)
}

async function listWebhooks(flags: Flags): Promise<void> {
  const { data } = await requireAnswer<{ data: Members[] }>(flags, 'GET', '')
  if (flags.json) return printResult(JSON.stringify(data))
  if (data.length === 0) printResult('there are none')
  for (const { webhookId, state, url, lastError } of data)
    printResult(
      [String(webhookId).padEnd(16), String(state).padEnd(8), url, ...(lastError ? [`(${lastError})`] : [])].join('  '),
    )
}

async function runRequest(flags: Flags, method: string, path: string, body?: object): Promise<void> {
  await requestAndPrint(flags, method, path, body)
}

/** Resolves to what was printed. */
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
  if (answer === undefined) throw new UsageError(`${api.url} has no such webhook, or is no wallet of Purser`)
  return answer
}
