/**
 * Reports as files: which writer a file name asks for. A report is never lost: a file that cannot be written is said at the start, and what a full disk refuses at the end
 * goes to stdout.
 */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { WrongUse } from '../../runtime/wrong-use.ts'
import type { CommandDeps } from '../command.ts'
import { htmlReport } from './html.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import type { Report } from './report.ts'

const WRITERS: Readonly<Record<string, (report: Report) => string>> = {
  html: htmlReport,
  xml: junitReport,
  json: jsonReport,
}

export interface ReportFile {
  readonly file: string
  readonly write: (report: Report) => string
}

/** Throws WrongUse. */
export function fileOf(file: string): ReportFile {
  const write = WRITERS[file.slice(file.lastIndexOf('.') + 1).toLowerCase()]
  if (write === undefined) throw new WrongUse(`--report: ${file} must end in .html, .xml or .json`)
  const why = whyNotWritable(file)
  if (why !== undefined) throw new WrongUse(`--report: ${why}`)
  return { file, write }
}

function whyNotWritable(file: string): string | undefined {
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

/** Never throws. `isPrinted`: the whole report stands on stdout already, for a program that reads nothing else there. */
export function writeReport(
  { file, write }: ReportFile,
  report: Report,
  { stdout, stderr, isPrinted }: Pick<CommandDeps, 'stdout' | 'stderr'> & { readonly isPrinted: boolean },
): void {
  const text = write(report)
  try {
    writeFileSync(file, text)
  } catch (error) {
    const where = isPrinted ? 'the report stands on stdout' : 'its content follows on stdout'
    stderr.write(`purser: --report: ${error instanceof Error ? error.message : error}; ${where}\n`)
    if (!isPrinted) stdout.write(text)
  }
}
