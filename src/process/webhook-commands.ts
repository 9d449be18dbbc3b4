/** `purser webhooks`: who is told of a wallet's changes. It asks the wallet's own API, with a key of the role admin. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { examples, print } from '../config/help.ts'
import { askApi } from '../http/own-api.ts'
import { isObject } from '../protocol/json.ts'
import { pathPart } from '../protocol/path-part.ts'
import { readHeaders } from '../runtime/headers.ts'
import { WrongUse } from '../runtime/wrong-use.ts'
import { EXIT } from './ending.ts'
import { type ApiFlags, addressOr, apiOf, keyOr } from './own-servers.ts'

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

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('who is told of a wallet’s changes, over HTTP, signed as Standard Webhooks has it')
    .addHelpText(
      'before',
      examples(
        'OPERATOR_API_KEY=… purser webhooks list',
        'purser webhooks save crm https://crm.example/purser --event bet.placed bet.settled --key …',
        'purser webhooks replay crm --from 2026-05-16T18:00:00Z --key …',
      ),
    )
  onApi(webhooks.command('list').description('all of them, with their state')).action((flags: Flags) => list(flags))
  onApi(
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
      ask(flags, 'PUT', pathPart(name), {
        url,
        ...(event && { events: event }),
        ...(after !== undefined && { after }),
        ...connectionOf(flags),
      }),
    )
  onApi(
    webhooks
      .command('test <name>')
      .description('sends it a message now, and says what came of it; exit 1 if it was not taken'),
  ).action(async (name: string, flags: Flags) => {
    const answer = await tell(flags, 'POST', `${pathPart(name)}/test`)
    if (answer?.delivered !== true) process.exitCode = EXIT.findings
  })
  onApi(webhooks.command('replay <name>').description('sends everything again from an event or a time on'))
    .option('--after <cursor>', 'everything behind this event')
    .option('--from <time>', 'everything from this time on: 2026-05-16T18:00:00Z')
    .action((name: string, { after, from, ...flags }: Flags & { after?: string; from?: string }) => {
      if ((after === undefined) === (from === undefined)) throw new WrongUse('give --after or --from')
      return ask(flags, 'POST', `${pathPart(name)}/replay`, after === undefined ? { from } : { after })
    })
  onApi(webhooks.command('rotate <name>').description('gives it another secret, which is shown this once'))
    .option('--overlap <seconds>', 'for so long the one before it signs too', toSeconds, 86_400)
    .action((name: string, { overlap, ...flags }: Flags & { overlap: number }) =>
      ask(flags, 'POST', `${pathPart(name)}/rotate`, { overlapSeconds: overlap }),
    )
  onApi(webhooks.command('remove <name>').description('ends it')).action((name: string, flags: Flags) =>
    ask(flags, 'DELETE', pathPart(name)),
  )
}

/** A member that has no flag stays as it is saved. */
function connectionOf({ connection, header, ca, clientCertificate, clientKey }: ConnectionFlags) {
  const files = { ca, certificate: clientCertificate, key: clientKey }
  const read = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, textOf(path)] as const],
  )
  const given = { ...(header && { headers: readHeaders(header) }), ...Object.fromEntries(read) }
  if (Object.keys(given).length === 0) return connection ? {} : { connection: null }
  if (!connection) throw new WrongUse('--no-connection removes what --header, --ca and --client-… give: leave it out')
  return { connection: given }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new WrongUse(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function onApi(command: Command): Command {
  return command
    .option('--api <url>', addressOr())
    .option('--key <key>', keyOr(undefined, 'an admin key'))
    .option('--json', 'print the answer as JSON')
}

function toSeconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.')
  return Number.parseInt(text, 10)
}

async function list(flags: Flags): Promise<void> {
  const { data } = await must<{ data: Members[] }>(flags, 'GET', '')
  if (flags.json) return print(JSON.stringify(data))
  if (data.length === 0) print('there are none')
  for (const { webhookId, state, url, lastError } of data)
    print(
      [String(webhookId).padEnd(16), String(state).padEnd(8), url, ...(lastError ? [`(${lastError})`] : [])].join('  '),
    )
}

async function ask(flags: Flags, method: string, path: string, body?: object): Promise<void> {
  await tell(flags, method, path, body)
}

/** Resolves to what was printed. */
async function tell(flags: Flags, method: string, path: string, body?: object): Promise<Members | null> {
  const answer = await must<Members | null>(flags, method, `/${path}`, body)
  if (flags.json) print(JSON.stringify(answer))
  else
    for (const [name, value] of Object.entries(answer ?? { done: true }))
      print(`${name.padEnd(12)}  ${isObject(value) ? JSON.stringify(value) : String(value)}`)
  return answer
}

async function must<T>(flags: Flags, method: string, path: string, body?: object) {
  const api = apiOf('wallet', flags)
  const answer = await askApi<T>(api, method, `/operator/webhooks${path}`, body)
  if (answer === undefined) throw new WrongUse(`${api.url} has no such webhook, or is no wallet of Purser`)
  return answer
}
