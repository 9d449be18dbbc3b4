/** How findings are printed: a line each, one JSON document, and CSV. Written as they come, none is kept. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { csvLine, textCell } from '../runtime/csv.ts'
import { printable } from '../runtime/printable.ts'
import type { Finding } from './compare.ts'
import { LABELS } from './describe.ts'
import type { Summary } from './reconcile.ts'

export interface Report {
  found(finding: Finding): void
  end(summary: Summary): void
}

type Write = (text: string) => void

export function textReport(write: Write): Report {
  return {
    found: (finding) => write(`${lineOf(finding)}\n`),
    end: (summary) => write(`${summaryLine(summary)}\n`),
  }
}

export function lineOf({ kind, betId, player, platform, wallet }: Finding): string {
  const sides = `platform: ${platform ?? 'nothing'} | wallet: ${wallet ?? 'nothing'}`
  return printable(`${LABELS[kind].padEnd(20)} bet ${betId}  player ${player}  ${sides}`)
}

export function summaryLine({ partnerId, bets, inFlight, differences, notes }: Summary): string {
  const verdict = differences === 0 ? 'no differences' : plural(differences, 'difference')
  const whose = partnerId === null ? 'the file' : `partner ${partnerId}`
  const rest = `${plural(bets, 'bet')} of ${whose} compared, ${inFlight} in flight, ${plural(notes, 'note')}`
  return `reconcile: ${verdict}; ${rest}`
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** One document: `{"findings": […], "ok": …, "bets": …}`. */
export function jsonReport(write: Write): Report {
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
  ...(['platformStatus', 'platformCurrency', 'platformStake', 'decidedResult', 'decidedPayout', 'toldStatus'] as const),
  ...(['toldResult', 'toldPayout', 'operation', 'delivery', 'code', 'walletStatus', 'walletCurrency'] as const),
  ...(['walletStake', 'walletResult', 'walletPayout'] as const),
]
const SENTENCES = ['platform', 'wallet'] as const

/** A file with a header line, RFC 4180. Throws at once when it cannot be written. */
export function csvReport(path: string): Report {
  const file = openSync(path, 'w', 0o600)
  const write = (cells: readonly string[]) => void writeSync(file, csvLine(cells))
  write([...WORDS, ...DETAILS, ...SENTENCES])
  return {
    found(finding) {
      const { details } = finding
      write([
        ...WORDS.map((name) => textCell(finding[name])),
        ...DETAILS.map((name) => textCell(details[name])),
        ...SENTENCES.map((name) => textCell(finding[name])),
      ])
    },
    end: () => closeSync(file),
  }
}
