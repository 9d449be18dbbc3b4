/**
 * `purser keys` manages the API keys of a server, in the server's database (W-25).
 * key-administration.ts has the actions.
 */

import { formatExamples } from '@purser/runtime/command/command-output'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { KEY_OVERLAP_S, MAX_KEY_OVERLAP_S } from '../core/auth/api-key-store.ts'
import { formatEnvironmentHelp } from '../core/config/command-help.ts'
import { KEY_RIGHTS, type KeyRight } from '../core/http/api/key-rights.ts'
import { ROLES } from '../core/http/api/principal.ts'
import type { KeyFlags, MakeKeyFlags } from './key-administration.ts'

const loadKeyAdministration = () => import('./key-administration.ts')

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description("manages the keys of a server's API: list, make, rotate, revoke")
  addList(keys)
  addMake(keys)
  addRotate(keys)
  addRevoke(keys)
}

function addList(keys: Command): void {
  keys
    .command('list <server>')
    .description('lists the keys of a wallet, platform or gateway, newest first; the secret part is never shown')
    .option('--json', 'print them as JSON')
    .addHelpText('before', formatExamples('DATABASE_URL=postgres://… purser keys list wallet'))
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (server: string, flags: KeyFlags) => (await loadKeyAdministration()).listKeys(server, flags))
}

function addMake(keys: Command): void {
  addCommonFlags(keys.command('make <server> <name>'))
    .description('creates a key and prints it once')
    .addOption(new Option('--role <role>', 'role of the key').choices(ROLES).makeOptionMandatory())
    .option(
      '--rights <rights>',
      `limits the key to these rights, comma-separated: ${KEY_RIGHTS.join(', ')}`,
      parseRights,
    )
    .option('--scope <id>', 'limits the key to one brand (wallet), partner (platform) or operator (gateway)')
    .option('--expires <time>', 'time when the key expires, as in 2031-12-31T00:00:00Z', parseTime)
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
    .description('creates a new key of the same name and prints it once; the old key stays valid for a while')
    .option(
      '--overlap <seconds>',
      'seconds for which the old key stays valid, 30 days at most',
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
    .description('revokes every key of this name immediately')
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
    .option('--person <name>', 'name of the person, for the audit log; default: the user of this machine')
    .option('--reason <text>', 'reason, for the audit log')
    .option('--json', 'print the result as JSON')
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (seconds <= MAX_KEY_OVERLAP_S) return seconds
  throw new InvalidArgumentError(`Use a number of seconds, ${MAX_KEY_OVERLAP_S} at most.`)
}

function parseRights(text: string): KeyRight[] {
  return text.split(',').map((name) => {
    const right = KEY_RIGHTS.find((one) => one === name.trim())
    if (right === undefined) throw new InvalidArgumentError(`"${name}" is not a right: use ${KEY_RIGHTS.join(', ')}`)
    return right
  })
}

function parseTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('use a time such as 2031-12-31T00:00:00Z')
  return time
}
