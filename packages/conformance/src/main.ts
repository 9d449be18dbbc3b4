#!/usr/bin/env node
/** The program `purser-conformance`: judges any wallet or platform, and puts load on a wallet. */
import { exitOnDefects, reportFailure } from '@purser/runtime/command/exit-codes'
import { ignoreClosedPipes } from '@purser/runtime/command/stop-signals'
import { Command } from 'commander'
import { addConformanceCommands, completeCommand } from './cli/conformance-program.ts'
import { addLoadCommand } from './cli/load-program.ts'

const NAME = 'purser-conformance'
const program = new Command(NAME).exitOverride().configureHelp({ sortSubcommands: false })
addConformanceCommands(program, NAME)
addLoadCommand(program, NAME)
completeCommand(program, NAME)
ignoreClosedPipes()
exitOnDefects(NAME)
await program.parseAsync().catch((error: unknown) => reportFailure(error, NAME))
