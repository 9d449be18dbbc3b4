/** Reports as files: which writer a file name asks for. Files are made to be passed on, so they are masked unless asked otherwise. */
import type { Report } from './report.ts'
import { htmlReport } from './report-html.ts'
import { jsonReport } from './report-json.ts'
import { junitReport } from './report-junit.ts'
import { masked } from './report-masked.ts'

export type ReportWriter = (report: Report) => string

const WRITERS: Readonly<Record<string, ReportWriter>> = { html: htmlReport, xml: junitReport, json: jsonReport }

/** Undefined when the ending is none that there is a writer for. */
export function writerFor(file: string, { isUnmasked = false } = {}): ReportWriter | undefined {
  const write = WRITERS[file.slice(file.lastIndexOf('.') + 1).toLowerCase()]
  return isUnmasked ? write : write && ((report) => write(masked(report)))
}
