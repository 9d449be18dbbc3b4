/**
 * Generates the tables of docs/reference, between markers in pages that are otherwise written by
 * hand.
 */
import { readFileSync } from 'node:fs'
import { REPLY_CODES, ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { SETTINGS } from 'purser/core/config/settings'
import { formatGrants } from 'purser/core/database/schema/database-privileges'
import { listCallNames, REPLY_CODE_GUIDE, ROLLBACK_REASON_GUIDE } from './reply-code-guide.mjs'

export function makeConfigurationPage(path) {
  return fill(path, { settings: settingsTable() })
}

export function makeGrantsPage(path) {
  const sql = (server) => [
    `grants of a ${server}`,
    ['```sql', formatGrants(server, `purser_${server}`), '```'].join('\n'),
  ]
  return fill(path, Object.fromEntries(['wallet', 'platform', 'gateway'].map(sql)))
}

export function makeCodesPage(path) {
  return fill(path, { 'reply codes': replyCodesTable(), 'rollback reasons': rollbackReasonsTable() })
}

function settingsTable() {
  const rows = SETTINGS.map((setting) => [
    `\`${setting.name}\``,
    setting.default === undefined ? '–' : `\`${setting.default}\``,
    setting.secret ? `${setting.meaning} Also \`${setting.name}_FILE\`.` : setting.meaning,
    `\`${setting.example}\``,
  ])
  return table(['Variable', 'Default', 'Meaning', 'Example'], rows)
}

function replyCodesTable() {
  requireSameKeys(REPLY_CODES, REPLY_CODE_GUIDE, 'reply codes')
  const rows = Object.entries(REPLY_CODES).map(([name, { code, message }]) => {
    const { answers, when } = REPLY_CODE_GUIDE[name]
    return [code, message, listCallNames(answers), when]
  })
  return table(['Code', 'Message', 'Answers', 'When'], rows)
}

function rollbackReasonsTable() {
  requireSameKeys(ROLLBACK_REASONS, ROLLBACK_REASON_GUIDE, 'rollback reasons')
  const rows = Object.entries(ROLLBACK_REASONS).map(([code, reason]) => [code, reason, ROLLBACK_REASON_GUIDE[code]])
  return table(['errorCode', 'Reason', 'Sent when'], rows)
}

function requireSameKeys(registry, guide, what) {
  const [known, text] = [registry, guide].map((entries) => Object.keys(entries).sort().join(' '))
  if (known !== text)
    throw new Error(`scripts/reply-code-guide.mjs does not tell of the same ${what}: ${text} instead of ${known}`)
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Replaces the text between `<!-- generated: name -->` and the next `<!-- end -->`. */
export function fill(path, tables) {
  return Object.entries(tables).reduce(
    (page, [name, text]) => {
      const start = `<!-- generated: ${name} -->`
      const [before, rest] = page.split(start)
      const end = rest?.indexOf('<!-- end -->') ?? -1
      if (end < 0) throw new Error(`${path} has no "${start}" with an "<!-- end -->" after it`)
      return `${before}${start}\n${text}\n${rest.slice(end)}`
    },
    readFileSync(path, 'utf8'),
  )
}
