/**
 * `purser keys`: the keys of a server's own API, for whoever holds its database (W-25). The words and options of the
 * commands; key-administration.ts does what they say.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatEnvironmentHelp, formatExamples } from '../config/command-help.ts'
import { KEY_RIGHTS, type KeyRight } from '../http/key-rights.ts'
import { ROLES } from '../http/principal.ts'
import { KEY_OVERLAP_S, MAX_KEY_OVERLAP_S } from '../people/api-key-store.ts'
import type { KeyFlags, MakeKeyFlags } from './key-administration.ts'

const loadKeyAdministration = () => import('./key-administration.ts')

export function addKeysCommand(program: Command): void {
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
    .addHelpText('before', formatExamples('DATABASE_URL=postgres://… purser keys list wallet'))
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (server: string, flags: KeyFlags) => (await loadKeyAdministration()).listKeys(server, flags))
}

function addMake(keys: Command): void {
  addCommonFlags(keys.command('make <server> <name>'))
    .description('makes a key and prints it, this once')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--rights <rights>', `what it is narrowed to, comma-separated: ${KEY_RIGHTS.join(', ')}`, parseRights)
    .option('--scope <id>', 'the one brand (wallet), partner (platform) or operator (gateway) that it is limited to')
    .option('--expires <time>', 'when it ends, as 2031-12-31T00:00:00Z', parseTime)
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://… purser keys make wallet support-desk --role support --reason "new desk"',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (server: string, name: string, flags: MakeKeyFlags) =>
      (await loadKeyAdministration()).makeKey(server, name, flags),
    )
}

function addRotate(keys: Command): void {
  addCommonFlags(keys.command('rotate <server> <name>'))
    .description('makes a new key of the same name and prints it, this once; the one before works for a while')
    .option(
      '--overlap <seconds>',
      'for how long the one before still works, 30 days at most',
      parseSeconds,
      KEY_OVERLAP_S,
    )
    .addHelpText(
      'before',
      formatExamples('DATABASE_URL=postgres://… purser keys rotate wallet support-desk --overlap 3600'),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (server: string, name: string, flags: KeyFlags & { overlap: number }) =>
      (await loadKeyAdministration()).rotateKey(server, name, flags),
    )
}

function addRevoke(keys: Command): void {
  addCommonFlags(keys.command('revoke <server> <name>'))
    .description('ends a key now, with all that its name has had')
    .addHelpText(
      'before',
      formatExamples('DATABASE_URL=postgres://… purser keys revoke wallet support-desk --reason "left us"'),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (server: string, name: string, flags: KeyFlags) =>
      (await loadKeyAdministration()).revokeKey(server, name, flags),
    )
}

function addCommonFlags(command: Command): Command {
  return command
    .option('--person <name>', 'who does this, for the action log; the user of this machine when absent')
    .option('--reason <text>', 'why, for the action log')
    .option('--json', 'print the result as JSON')
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (seconds <= MAX_KEY_OVERLAP_S) return seconds
  throw new InvalidArgumentError(`It is a number of seconds, ${MAX_KEY_OVERLAP_S} at most.`)
}

function parseRights(text: string): KeyRight[] {
  return text.split(',').map((name) => {
    const right = KEY_RIGHTS.find((one) => one === name.trim())
    if (right === undefined) throw new InvalidArgumentError(`"${name}" is none of ${KEY_RIGHTS.join(', ')}`)
    return right
  })
}

function parseTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('it is a time such as 2031-12-31T00:00:00Z')
  return time
}
