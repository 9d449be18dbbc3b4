/** `purser report` prints the sums of a wallet by day, currency, brand, platform and site. */

import { systemClock } from '@purser/runtime/clock'
import { formatExamples, printResult } from '@purser/runtime/command/command-output'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { printable } from '@purser/runtime/text/printable-text'
import type { Command } from 'commander'
import { formatEnvironmentHelp } from '../../core/config/command-help.ts'
import { type Db, type Statement, statement } from '../../core/database/db.ts'
import { readRecordedScales } from '../../core/database/schema/currency-scales.ts'
import type { FieldError } from '../../core/http/api/problem-details.ts'
import { isKnownPlatform } from '../../servers/recorded-platforms.ts'
import type { ReportRow } from '../../wallet/operator-api/reports/daily-report.ts'
import { withMigratedDb } from './command-database.ts'

type Report = typeof import('../../wallet/operator-api/reports/daily-report.ts')

interface Flags {
  readonly from?: string
  readonly to?: string
  readonly currency?: string
  readonly brand?: string
  readonly platform?: string
  readonly site?: string
  readonly by?: string
  readonly csv?: true
  readonly json?: true
}

export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description(
      'reports the sums of a wallet by day (UTC), currency, brand, platform and site, balanced to zero; default: yesterday',
    )
    .option('--from <day>', 'the first day: 2026-05-01')
    .option('--to <day>', 'the last day, inclusive')
    .option('--currency <code>', 'only this currency')
    .option('--brand <name>', 'only players of this brand')
    .option('--platform <name>', 'only bets of this platform')
    .option('--site <name>', 'only bets of this site, as Place bet names it (subPartnerId)')
    .option('--by <names>', 'group by any of brand,platform,site; default: brand,platform')
    .option('--csv', 'print CSV for spreadsheets')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'before',
      formatExamples(
        'DATABASE_URL=postgres://… purser report',
        'purser report --from 2026-05-01 --to 2026-05-31 --csv > may.csv',
      ),
    )
    .addHelpText('after', formatEnvironmentHelp('tool'))
    .action(async (flags: Flags) => {
      const [{ closeDays }, { toReportCsv }] = await Promise.all([
        import('../../wallet/ledger/daily-sums.ts'),
        import('../../wallet/operator-api/reports/daily-report.ts'),
      ])
      const rows = await withMigratedDb(async (db, config) => {
        await closeDays(db, systemClock.now())
        const scales = new Map([...config.scales, ...(await readRecordedScales(db, 'wallet'))])
        const found = await readReportRows(flags, { db, clock: systemClock, scales })
        if (found.length === 0) await requireNames(db, flags)
        return found
      })
      if (flags.json) printResult(JSON.stringify({ data: rows }))
      else process.stdout.write(flags.csv ? toReportCsv(rows) : formatReport(rows))
    })
}

const HAS_BRAND = statement('has_brand', 'select exists (select from purser.player where brand = $1::text) as is_there')
/** Reads the stored sums of closed days, and the bets since then. */
const HAS_SITE = statement(
  'has_site',
  `select exists (select from purser.daily_sum where site = $1::text)
     or exists (select from purser.archived_sum where site = $1::text)
     or exists (select from purser.bet where site = $1::text and first_seen_at < 'infinity'
       and first_seen_at >= (select coalesce(max(day) + 1, date '-infinity') from purser.daily_close)) as is_there`,
)

/** An empty report means no money moved, so a misspelt name is an error. */
async function requireNames(db: Db, { brand, platform, site }: Flags): Promise<void> {
  const isThere = async (query: Statement, name: string) => {
    const [row] = await db.query<{ is_there: boolean }>(query, [name])
    return row?.is_there === true
  }
  if (brand !== undefined && !(await isThere(HAS_BRAND, brand)))
    throw new UsageError(`--brand: no player has the brand ${brand}; a report without --brand lists all brands`)
  if (platform !== undefined && !(await isKnownPlatform(db, platform)))
    throw new UsageError(
      `--platform: no wallet of this database was started for a platform ${platform}; its name is the one in PARTNER_SECRETS`,
    )
  if (site !== undefined && !(await isThere(HAS_SITE, site)))
    throw new UsageError(`--site: no bet came from the site ${site}; a report with --by site lists all sites`)
}

/** Query errors of the API become UsageErrors. */
async function readReportRows(
  { csv: _csv, json: _json, ...query }: Flags,
  deps: Parameters<Report['createDailyReport']>[0],
): Promise<ReportRow[]> {
  const [{ Problem, toFieldErrors }, { createDailyReport, ReportQuerySchema }, { Compile }] = await Promise.all([
    import('../../core/http/api/problem-details.ts'),
    import('../../wallet/operator-api/reports/daily-report.ts'),
    import('typebox/compile'),
  ])
  for (const name of ['from', 'to'] as const) {
    const text = query[name]
    if (text !== undefined && !isDay(text)) throw new UsageError(`--${name}: ${text} is not a day such as 2026-05-31`)
  }
  const schema = Compile(ReportQuerySchema)
  if (!schema.Check(query)) throw toUsageError(toFieldErrors(schema.Errors(query), '/query'))
  try {
    return await createDailyReport(deps, query)
  } catch (error) {
    throw error instanceof Problem ? toUsageError(error.errors) : error
  }
}

function toUsageError(faults: readonly FieldError[]): UsageError {
  return new UsageError(
    faults.map(({ pointer, detail }) => `${pointer.replace('/query/', '--')}: ${detail}`).join('; '),
  )
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
}

const WIDTH = 18

/** One block per row, to be added up by hand: opening balance, movements, closing balance. */
function formatReport(rows: readonly ReportRow[]): string {
  if (rows.length === 0) return 'report: no money moved on these days\n'
  return `${rows.map((row) => [...iterateRowLines(row)].join('\n')).join('\n\n')}\n`
}

function* iterateRowLines(row: ReportRow): Generator<string> {
  const { player, open_stakes: openStakes } = row.accounts
  const line = (label: string, amount: string) => `  ${label.padEnd(34)}${amount.padStart(WIDTH)}`
  const minus = (amount: string) =>
    /^0(\.0*)?$/.test(amount) ? amount : amount.startsWith('-') ? amount.slice(1) : `-${amount}`
  const names = [row.currency, row.brand, row.platform, row.site].filter((name) => name !== undefined).map(printable)
  yield `${[row.day, ...names, ...(row.final ? [] : ['(not final)'])].join('  ')}  ${row.transfers} transfers`
  yield line("players' balances at midnight", player.opening)
  yield line('deposits', row.deposits)
  yield line('withdrawals', minus(row.withdrawals))
  yield line('opening balances', row.openings)
  yield line('stakes', minus(row.stakes))
  yield line('refunds', row.refunds)
  yield line('payouts', row.payouts)
  yield line('resettlements', row.resettlements)
  yield line('adjustments', row.adjustments)
  yield line("players' balances a day later", player.closing)
  yield line('open stakes at midnight', openStakes.opening)
  yield line('open stakes a day later', openStakes.closing)
  yield line('stakes paid by promotions', row.promotionStakes)
  yield line('of these, given back', row.promotionRefunds)
  yield line('won by promotions', row.promotionPayouts)
  yield line('of these, taken back', row.promotionResettlements)
  yield line('GGR (closed stakes less payouts)', row.ggr)
  yield line('sum of all accounts', row.sum)
}
