/** Reports as files: which writer a file name asks for. */
import type { Report } from './report.ts'

export type ReportWriter = (report: Report) => string

const WRITERS: Readonly<Record<string, ReportWriter>> = {
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
}

/** Undefined when the ending is none that there is a writer for. */
export function writerFor(file: string): ReportWriter | undefined {
  return WRITERS[file.slice(file.lastIndexOf('.') + 1).toLowerCase()]
}
