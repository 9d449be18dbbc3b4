/**
 * `purser keys`: the keys of a server's own API, for whoever holds its database (W-25). The words and options of the
 * commands; key-work.ts does what they say.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { environment, examples } from '../config/help.ts'
import { ROLES, type Role } from '../http/caller.ts'
import { MAX_OVERLAP_S, OVERLAP_S } from '../people/key-store.ts'
import type { Flags } from './key-work.ts'

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
    .addHelpText(
      'before',
      examples('DATABASE_URL=postgres://… purser keys make wallet support-desk --role support --reason "new desk"'),
    )
    .addHelpText('after', environment('tool'))
    .action(async (server: string, name: string, said: Flags & { role: Role }) =>
      (await work()).makeKey(server, name, said),
    )
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
