/** Gives each command the option `--version`, and a hint to `--help` after an error. */
import { VERSION } from '@purser/runtime/version'
import type { Command } from 'commander'

export function completeCommand(command: Command, name: string): void {
  command.version(VERSION, '--version', 'print the version')
  command.showHelpAfterError(`(${name} --help lists commands and options)`)
  for (const subcommand of command.commands) completeCommand(subcommand, `${name} ${subcommand.name()}`)
}
