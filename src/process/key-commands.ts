/**
 * `purser keys`: the keys of a server's own API, for whoever holds its database (W-25). The words and options of the
 * commands; key-work.ts does what they say.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { environment, examples } from '../config/help.ts'
import { ROLES } from '../http/caller.ts'
import { KEY_RIGHTS, type KeyRight } from '../http/key-rights.ts'
import { MAX_OVERLAP_S, OVERLAP_S } from '../people/key-store.ts'
import type { Flags, MakeFlags } from './key-work.ts'

const work = () => import('./key-work.ts')

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description("keys of a server's own API: named, with a role, made, rotated, revoked")
  addList(keys)
  addMake(keys)
  addRotate(keys)
  addRevoke(keys)
}

function addList(keys: Command): void {
  keys
    .command('list <server>')
    .description('all keys of a wallet, platform or gateway, newest first; never the keys themselves')
    .option('--json', 'print them as JSON')
    .addHelpText('before', examples('DATABASE_URL=postgres://… purser keys list wallet'))
    .addHelpText('after', environment('tool'))
    .action(async (server: string, said: Flags) => (await work()).listKeys(server, said))
}

function addMake(keys: Command): void {
  withFlags(keys.command('make <server> <name>'))
    .description('makes a key and prints it, this once')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--rights <rights>', `what it is narrowed to, comma-separated: ${KEY_RIGHTS.join(', ')}`, toRights)
    .option('--scope <id>', 'the one brand (wallet), partner (platform) or operator (gateway) that it is limited to')
    .option('--expires <time>', 'when it ends, as 2031-12-31T00:00:00Z', toTime)
    .addHelpText(
      'before',
      examples('DATABASE_URL=postgres://… purser keys make wallet support-desk --role support --reason "new desk"'),
    )
    .addHelpText('after', environment('tool'))
    .action(async (server: string, name: string, said: MakeFlags) => (await work()).makeKey(server, name, said))
}

function addRotate(keys: Command): void {
  withFlags(keys.command('rotate <server> <name>'))
    .description('makes a new key of the same name and prints it, this once; the one before works for a while')
    .option('--overlap <seconds>', 'for how long the one before still works, 30 days at most', toSeconds, OVERLAP_S)
    .addHelpText('before', examples('DATABASE_URL=postgres://… purser keys rotate wallet support-desk --overlap 3600'))
    .addHelpText('after', environment('tool'))
    .action(async (server: string, name: string, said: Flags & { overlap: number }) =>
      (await work()).rotateKey(server, name, said),
    )
}

function addRevoke(keys: Command): void {
  withFlags(keys.command('revoke <server> <name>'))
    .description('ends a key now, with all that its name has had')
    .addHelpText(
      'before',
      examples('DATABASE_URL=postgres://… purser keys revoke wallet support-desk --reason "left us"'),
    )
    .addHelpText('after', environment('tool'))
    .action(async (server: string, name: string, said: Flags) => (await work()).revokeKey(server, name, said))
}

function withFlags(command: Command): Command {
  return command
    .option('--person <name>', 'who does this, for the action log; the user of this machine when absent')
    .option('--reason <text>', 'why, for the action log')
    .option('--json', 'print the result as JSON')
}

function toSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (seconds <= MAX_OVERLAP_S) return seconds
  throw new InvalidArgumentError(`It is a number of seconds, ${MAX_OVERLAP_S} at most.`)
}

function toRights(text: string): KeyRight[] {
  return text.split(',').map((name) => {
    const right = KEY_RIGHTS.find((one) => one === name.trim())
    if (right === undefined) throw new InvalidArgumentError(`"${name}" is none of ${KEY_RIGHTS.join(', ')}`)
    return right
  })
}

function toTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('it is a time such as 2031-12-31T00:00:00Z')
  return time
}
