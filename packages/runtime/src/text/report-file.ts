/**
 * Writes reports to files, in the format of the file's extension.
 *
 * Invariant: no report is lost. An unusable file is an error at the start, and a later failure
 * prints the report to stdout.
 */

import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../errors/cli-errors.ts'
import { errorText } from '../errors/error-text.ts'
import { printableLine, printableLines } from './printable-text.ts'

/** By the file's extension, in lower case. */
export type Writers<R> = Readonly<Record<string, (report: R) => string>>

export interface ReportFile<R> {
  readonly file: string
  readonly write: (report: R) => string
}

/** Throws UsageError. */
export function resolveReportFile<R>(writers: Writers<R>, file: string): ReportFile<R> {
  const write = writers[file.slice(file.lastIndexOf('.') + 1).toLowerCase()]
  if (write === undefined) throw new UsageError(`--report: ${file} must end in ${listEndings(writers)}`)
  const fault = findWriteFault(file)
  if (fault !== undefined) throw new UsageError(`--report: ${fault}`)
  return { file, write }
}

/** For example ".html, .xml or .json". */
function listEndings(writers: object): string {
  const endings = Object.keys(writers).map((ending) => `.${ending}`)
  return `${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}`
}

function findWriteFault(file: string): string | undefined {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there?.isDirectory()) return `${file} is a folder`
  const path = there === undefined ? dirname(file) : file
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch {
    return there === undefined ? `${path} is no folder that can be written to` : `${path} cannot be written to`
  }
}

interface ReportOutput {
  /** The name that begins a message on stderr. */
  readonly program: string
  readonly stdout: { write(text: string): void }
  readonly stderr: { write(text: string): void }
  /** True if stdout already has the whole report, for a program that reads nothing else there. */
  readonly isPrinted: boolean
}

/** Never throws. */
export function writeReport<R>(
  { file, write }: ReportFile<R>,
  report: R,
  { program, stdout, stderr, isPrinted }: ReportOutput,
): void {
  const text = write(report)
  try {
    writeFileSync(file, text)
  } catch (error) {
    const where = isPrinted ? 'the report stands on stdout' : 'its content follows on stdout'
    stderr.write(`${printableLine(`${program}: --report: ${errorText(error)}; ${where}`)}\n`)
    if (!isPrinted) stdout.write(printableLines(text))
  }
}
