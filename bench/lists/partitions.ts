// Measures partitions by hash of the player: the two largest tables, plain and partitioned, with
// the same rows in the same order. See bench/README.md.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { parseArguments, parsePositive } from '../arguments.ts'
import { startBenchPostgres } from '../postgres.ts'
import { readProcessSeconds } from '../processor-time.ts'
import { MAIN } from '../subjects.ts'
import { seedDatabase } from './seed.ts'

const DAY_MS = 86_400_000
/** Rows per statement, as in a batch, and measured statements. */
const BATCH = 40
const BATCHES = 1_000
const US_PER_S = 1_000_000
const say = (line: string) => void process.stderr.write(`${line}\n`)

interface Table {
  readonly name: string
  /**
   * Columns that identify a row together with the bucket, with types: a lookup as on the fast path.
   */
  readonly key: readonly (readonly [column: string, type: string])[]
  /** The column that makes a copied row unique; $1 is the number of the statement. */
  readonly fresh: readonly [column: string, sql: string]
}

const TABLES: readonly Table[] = [
  {
    name: 'bet',
    key: [
      ['bet_id', 'text'],
      ['player', 'text'],
    ],
    fresh: ['bet_id', 'md5(bet_id || $1::int)'],
  },
  {
    name: 'transfer',
    key: [
      ['player', 'text'],
      ['currency', 'text'],
      ['version', 'bigint'],
    ],
    fresh: ['version', 'version + 1000000 * $1::int'],
  },
]

/** Seconds of this connection's backend. */
interface Costs {
  elapsed: number
  processor: number
}

class Layout {
  private readonly client: pg.Client
  private readonly pid: number
  private readonly table: Table
  private readonly partitions: number

  constructor(client: pg.Client, pid: number, table: Table, partitions: number) {
    this.client = client
    this.pid = pid
    this.table = table
    this.partitions = partitions
  }

  private get name(): string {
    return `measured.${this.table.name}_${this.partitions}`
  }

  private get pieces(): string[] {
    if (this.partitions === 0) return [this.name]
    return Array.from({ length: this.partitions }, (_, i) => `${this.name}_${i}`)
  }

  private async costOf(text: string): Promise<Costs> {
    const [begun, before] = [performance.now(), readProcessSeconds(this.pid)]
    await this.client.query(text)
    return { elapsed: (performance.now() - begun) / 1_000, processor: readProcessSeconds(this.pid) - before }
  }

  private async one(text: string): Promise<string> {
    const { rows } = await this.client.query<{ value: string }>(text)
    return `${rows[0]?.value}`
  }

  async make(): Promise<void> {
    const { name } = this.table
    const like = `create table ${this.name} (like purser.${name} including defaults including constraints including generated)`
    const room = name === 'bet' ? ' with (fillfactor = 45)' : ''
    await this.client.query(this.partitions === 0 ? like + room : `${like} partition by hash (player)`)
    for (const [i, piece] of this.partitions === 0 ? [] : this.pieces.entries())
      await this.client.query(
        `create table ${piece} partition of ${this.name} for values with (modulus ${this.partitions}, remainder ${i})${room}`,
      )
    const columns = await this.columns()
    await this.client.query(`insert into ${this.name} (${columns}) select ${columns} from purser.${name}`)
  }

  async measured(): Promise<Record<string, string>> {
    const { name } = this.table
    const indexes = await this.client.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = 'purser' and tablename = '${name}'`,
    )
    const makeAll = indexes.rows.map(({ indexdef }) =>
      indexdef.replace(/INDEX \S+ ON purser\.\w+/, `INDEX ON ${this.name}`),
    )
    const built = await this.costOf(makeAll.join('; '))
    await this.client.query(`vacuum (analyze) ${this.name}`)
    await this.client.query('checkpoint')
    const sizes = this.pieces.map((piece) => `pg_total_relation_size('${piece}')`).join(' + ')
    const bytes = await this.one(`select (${sizes})::text as value`)
    return {
      bytes,
      'indexes, s': shown(built),
      'lookups, µs a row': await this.lookups(),
      'inserts, µs a row': await this.inserts(),
      ...(name === 'bet' && { 'vacuum, s': await this.vacuum() }),
    }
  }

  private plan(): Promise<unknown> {
    return this.client.query(
      'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off; set plan_cache_mode = force_generic_plan',
    )
  }

  /** The first statement also plans, so its time is reported separately. */
  private async lookups(): Promise<string> {
    const { name, key } = this.table
    const columns = key.map(([column]) => column)
    const { rows } = await this.client.query<Record<string, string>>(
      `select ${columns.join(', ')} from purser.${name} tablesample system (5) order by random() limit ${BATCH * BATCHES}`,
    )
    await this.plan()
    const arrays = key.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')
    const text = `select count(*) from unnest(${arrays}) as k (${columns.join(', ')}) cross join lateral (
      select ctid, tableoid from ${this.name} where bucket = 0 and ${columns.map((column) => `${column} = k.${column}`).join(' and ')} limit 1) r`
    const ask = (some: typeof rows) =>
      this.client.query({
        ...{ name: `look_${this.name}`, text },
        values: columns.map((column) => some.map((row) => row[column])),
      })
    const begun = performance.now()
    await ask(rows.slice(0, 1))
    const planned = performance.now() - begun
    await ask(rows)
    const us = await this.perRow((i) => ask(rows.slice(i * BATCH, (i + 1) * BATCH)))
    return `${us}, the first statement ${planned.toFixed(1)} ms`
  }

  private async inserts(): Promise<string> {
    const { name, fresh } = this.table
    const columns = (await this.columns()).split(', ')
    const made = columns.map((column) => (column === fresh[0] ? fresh[1] : column))
    const text = `insert into ${this.name} (${columns.join(', ')}) select ${made.join(', ')} from measured.some_${name} where chunk = $1::int`
    const insert = (number: number) => this.client.query({ name: `insert_${this.name}`, text, values: [number + 1] })
    return this.perRow(insert)
  }

  /** CPU microseconds of Postgres per row. */
  private async perRow(work: (batch: number) => Promise<unknown>): Promise<string> {
    const before = readProcessSeconds(this.pid)
    for (let batch = 0; batch < BATCHES; batch++) await work(batch)
    return (((readProcessSeconds(this.pid) - before) * US_PER_S) / (BATCHES * BATCH)).toFixed(1)
  }

  private columns(): Promise<string> {
    return this.one(
      `select string_agg(attname, ', ' order by attnum) as value from pg_attribute
       where attrelid = 'purser.${this.table.name}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
  }

  /**
   * Vacuums after a change of every tenth row; with partitions, also reports the longest vacuum.
   */
  private async vacuum(): Promise<string> {
    await this.client.query(
      `update ${this.name} set changed_at = changed_at + interval '1 second' where hashtext(bet_id) % 10 = 0`,
    )
    await this.client.query('checkpoint')
    const all: Costs[] = []
    for (const piece of this.pieces) all.push(await this.costOf(`vacuum ${piece}`))
    const sum = {
      elapsed: all.reduce((total, { elapsed }) => total + elapsed, 0),
      processor: all.reduce((total, { processor }) => total + processor, 0),
    }
    return `${shown(sum)}${this.partitions === 0 ? '' : `, the longest ${Math.max(...all.map(({ elapsed }) => elapsed)).toFixed(1)}`}`
  }
}

function shown({ elapsed, processor }: Costs): string {
  return `${elapsed.toFixed(1)} (processor ${processor.toFixed(1)})`
}

async function prepared(url: string, bets: number, players: number): Promise<pg.Client> {
  await promisify(execFile)(process.execPath, [MAIN, 'migrate'], { env: { ...process.env, DATABASE_URL: url } })
  await seedDatabase(url, { bets, players, day: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10) }, say)
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    "set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 0; create schema measured",
  )
  for (const { name } of TABLES)
    await client.query(
      `create table measured.some_${name} as select *, (row_number() over () / ${BATCH})::int as chunk
       from (select * from purser.${name} tablesample system (10) order by random() limit ${BATCH * (BATCHES + 2)}) t;
       create index on measured.some_${name} (chunk)`,
    )
  return client
}

const { values } = parseArguments(process.argv.slice(2), {
  bets: { type: 'string', default: '2000000' },
  players: { type: 'string', default: '100000' },
  partitions: { type: 'string', default: '0,8' },
})
const postgres = await startBenchPostgres({ autovacuum: 'off' })
try {
  const bets = parsePositive('bets', values.bets)
  await postgres.create('parts')
  const client = await prepared(postgres.url('parts'), bets, parsePositive('players', values.players))
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  for (const table of TABLES)
    for (const partitions of values.partitions.split(',')) {
      const layout = new Layout(client, rows[0]!.pid, table, Math.trunc(+partitions))
      await layout.make()
      const figures = await layout.measured()
      const row = { table: table.name, partitions, ...figures, 'bytes a bet': Math.round(+figures.bytes! / bets) }
      process.stdout.write(`${JSON.stringify(row)}\n`)
    }
  await client.end()
} finally {
  await postgres.stop()
}
