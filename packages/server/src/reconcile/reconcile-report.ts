/**
 * Writers for findings: as text, as one JSON document, and as CSV. They write each finding at once,
 * so memory does not grow.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { formatCsvLine, formatTextCell } from '@purser/runtime/text/csv-writer'
import { printable } from '@purser/runtime/text/printable-text'
import type { ReconcileFinding } from './bet-comparison.ts'
import type { Summary } from './reconcile.ts'
import { FINDING_LABELS } from './side-description.ts'

export interface FindingsReport {
  found(finding: ReconcileFinding): void
  end(summary: Summary): void
}

type Write = (text: string) => void

export function createTextFindingsReport(write: Write): FindingsReport {
  return {
    found: (finding) => write(`${formatFinding(finding)}\n`),
    end: (summary) => write(`${formatSummary(summary)}\n`),
  }
}

export function formatFinding({ kind, betId, player, platform, wallet }: ReconcileFinding): string {
  const sides = `platform: ${platform ?? 'nothing'} | wallet: ${wallet ?? 'nothing'}`
  return printable(`${FINDING_LABELS[kind].padEnd(20)} bet ${betId}  player ${player}  ${sides}`)
}

export function formatSummary({ partnerId, bets, inFlight, differences, notes }: Summary): string {
  const verdict = differences === 0 ? 'no differences' : formatCount(differences, 'difference')
  const subject = partnerId === null ? 'the file' : `partner ${partnerId}`
  const rest = `${formatCount(bets, 'bet')} of ${subject} compared, ${inFlight} in flight, ${formatCount(notes, 'note')}`
  return `reconcile: ${verdict}; ${rest}`
}

function formatCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Format: `{"findings": […], "ok": …, "bets": …}`. */
export function createJsonFindingsReport(write: Write): FindingsReport {
  let separator = '{"findings":['
  return {
    found(finding) {
      write(`${separator}\n${JSON.stringify(finding)}`)
      separator = ','
    },
    end(summary) {
      const rest = JSON.stringify({ ok: summary.differences === 0, ...summary }).slice(1)
      write(`${separator === ',' ? '\n' : separator}],${rest}\n`)
    },
  }
}

const WORDS = ['type', 'kind', 'betId', 'player'] as const
const DETAILS = [
  ...([
    'platformStatus',
    'platformCurrency',
    'platformStake',
    'decidedResult',
    'decidedPayout',
    'acknowledgedStatus',
  ] as const),
  ...([
    'acknowledgedResult',
    'acknowledgedPayout',
    'operation',
    'delivery',
    'code',
    'walletStatus',
    'walletCurrency',
  ] as const),
  ...(['walletStake', 'walletResult', 'walletPayout'] as const),
]
const SENTENCES = ['platform', 'wallet'] as const

/** With a header line (RFC 4180). Throws at once when the file cannot be written. */
export function createCsvFindingsReport(path: string): FindingsReport {
  const file = openSync(path, 'w', 0o600)
  const write = (cells: readonly string[]) => void writeSync(file, formatCsvLine(cells))
  write([...WORDS, ...DETAILS, ...SENTENCES])
  return {
    found(finding) {
      const { details } = finding
      write([
        ...WORDS.map((name) => formatTextCell(finding[name])),
        ...DETAILS.map((name) => formatTextCell(details[name])),
        ...SENTENCES.map((name) => formatTextCell(finding[name])),
      ])
    },
    end: () => closeSync(file),
  }
}
