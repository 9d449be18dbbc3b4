/**
 * Columns and primary key of a table, from the catalog of Postgres, and the statements that copy
 * its rows. Values are sent as texts.
 */
import { type Queryable, type Statement, statement } from '../../core/database/db.ts'
import { DATABASE_OWN_SETTINGS } from '../../core/database/relocation-state.ts'

interface Column {
  readonly name: string
  readonly type: string
  /** Position in the primary key; null for other columns. */
  readonly key: number | null
}

export interface TableShape {
  readonly table: string
  /** Copied columns: the bucket is computed anew, and generated columns are left out. */
  readonly columns: readonly Column[]
  /** Primary key without the bucket. */
  readonly key: readonly Column[]
  readonly hasBucket: boolean
}

interface ColumnRow extends Column {
  readonly [name: string]: unknown
  readonly tab: string
  readonly generated: boolean
}

const READ_COLUMNS = statement(
  'move_read_columns',
  `select c.relname::text as tab, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type, a.attgenerated <> '' as generated,
     array_position(i.indkey::int[], a.attnum::int) as key
   from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
   where c.relnamespace = 'purser'::regnamespace and c.relname = any($1::text[]) order by c.relname, a.attnum`,
)

/**
 * Rows are copied once per event and time, without their bucket. The copy inserts each one into
 * every bucket; an entry without a bet in its bucket finds nothing.
 */
const BET_EVENT: TableShape = {
  table: 'bet_event',
  hasBucket: true,
  columns: [
    { name: 'event_id', type: 'text', key: 0 },
    { name: 'first_seen_at', type: 'timestamp with time zone', key: 1 },
  ],
  get key() {
    return this.columns
  },
}

export async function readShapes(db: Queryable, tables: readonly string[]): Promise<ReadonlyMap<string, TableShape>> {
  const found = await db.query<ColumnRow>(READ_COLUMNS, [tables])
  const shapes = tables.map((table): TableShape => {
    if (table === BET_EVENT.table) return BET_EVENT
    const all = found.filter(({ tab }) => tab === table)
    const columns = all.filter(({ name, generated }) => name !== 'bucket' && !generated)
    const key = columns.filter((column) => column.key !== null).sort((a, b) => (a.key ?? 0) - (b.key ?? 0))
    return { table, columns, key, hasBucket: all.some(({ name }) => name === 'bucket') }
  })
  return new Map(shapes.map((shape) => [shape.table, shape]))
}

const TIME = 'timestamp with time zone'

/** Times are texts in UTC, independent of the time zone of the session. */
const utcColumn = ({ name, type }: Column) => (type === TIME ? `(t.${name} at time zone 'UTC')` : `t.${name}`)
const asText = (column: Column) => `${utcColumn(column)}::text`
const fromText = (text: string, { type }: Column) =>
  type === TIME ? `(${text}::timestamp at time zone 'UTC')` : `${text}::${type}`
/** The collation gives the same order on every server. */
const orderColumn = (column: Column) => (column.type === 'text' ? `t.${column.name} collate "C"` : `t.${column.name}`)
/**
 * Large values are compared by length: chunks have their own id, and erasure of a player shrinks
 * them.
 */
const comparedColumn = (column: Column) =>
  column.type === 'bytea' ? `octet_length(t.${column.name})` : utcColumn(column)

/** Hash of a row. The sums of the hashes are compared; equal rows have equal sums. */
function hashOf({ columns }: TableShape): string {
  return `hashtextextended(row(${columns.map(comparedColumn).join(', ')})::text, 0)`
}

/** Expression after `from`, with the alias `t`. */
function rowSource({ table }: TableShape): string {
  if (table === 'bet_event') return '(select distinct event_id, first_seen_at from purser.bet_event) t'
  return `purser.${table} t`
}

/** `$1` are buckets, `$2` player ids. Bets and their details need their own indexes. */
function playersClause({ table }: TableShape): string {
  const isOfPlayers = (t: string) => `${t}.bucket = any($1::int[]) and ${t}.player = any($2::text[])`
  if (table === 'bet') return `from purser.bet t where ${isOfPlayers('t')} and t.first_seen_at > '-infinity'`
  if (table !== 'bet_details') return `from purser.${table} t where ${isOfPlayers('t')}`
  return `from purser.bet b join purser.bet_details t
    on t.bucket = b.bucket and t.first_seen_at = b.first_seen_at and t.bet_id = b.bet_id and t.player = b.player
    where ${isOfPlayers('b')} and b.first_seen_at > '-infinity'`
}

const STAYS = DATABASE_OWN_SETTINGS.map((name) => `'${name}'`).join(', ')

/** Rows after the first key up to the second one; null means no bound. */
function rangeClause(shape: TableShape): string {
  const { key, table } = shape
  const [columns, count] = [`(${key.map(orderColumn).join(', ')})`, key.length]
  const values = (first: number) => key.map((column, i) => fromText(`$${first + i}::text`, column)).join(', ')
  const own = table === 'setting' ? ` and t.name not in (${STAYS})` : ''
  return `from ${rowSource(shape)} where ($1::text is null or ${columns} > (${values(1)}))
    and ($${count + 1}::text is null or ${columns} <= (${values(count + 1)}))${own}`
}

const keyOf = ({ key }: TableShape) => `array[${key.map(asText).join(', ')}]`
/** 0 for rows without a bucket of their own. */
const bucketColumn = ({ hasBucket, table }: TableShape) => (hasBucket && table !== 'bet_event' ? 't.bucket' : '0')
const formatNames = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ')
const formatLists = (columns: readonly Column[]) => columns.map((_, i) => `$${i + 2}::text[]`).join(', ')

export interface ShapeStatements {
  /** Per player. */
  readonly sumsOfPlayers: Statement
  readonly keysOfPlayers: Statement
  readonly sumsInRange: Statement
  readonly keysInRange: Statement
  /** Key at an offset after the first parameters; the last parameter is the offset. */
  readonly bound: Statement
  /** Parameters are the bucket `$1` and lists of keys. */
  readonly read: Statement
  readonly put: Statement
  readonly remove: Statement
  readonly count: Statement
}

export function buildStatements(shape: TableShape): ShapeStatements {
  const { table, columns, key, hasBucket } = shape
  const hash = hashOf(shape)
  const name = (action: string) => `move_${action}_${table}`
  const sums = `count(*)::int as rows, coalesce(sum(${hash}), 0)::text as hash`
  const listed = `${bucketColumn(shape)} as bucket, ${keyOf(shape)} as key, ${hash}::text as hash`
  const matchesKey = key
    .map((column) => `t.${column.name} = ${fromText(`k.${column.name}`, column)}`)
    .concat(hasBucket && table !== 'bet_event' ? ['t.bucket = $1::int'] : ['$1::int is not null'])
    .join(' and ')
  const ofKey = key.map(({ name }) => name)
  const rest = columns.filter((column) => !ofKey.includes(column.name))
  const values = columns.map((column) => fromText(`r.${column.name}`, column)).join(', ')
  const conflict =
    rest.length === 0
      ? 'do nothing'
      : `(${[...(hasBucket ? ['bucket'] : []), ...ofKey].join(', ')}) do update set ${rest.map((column) => `${column.name} = excluded.${column.name}`).join(', ')}`
  const rows = `unnest(${formatLists(columns)}) as r (${formatNames(columns)})`
  const order = key.map(orderColumn).join(', ')
  const after = key.map((column, i) => fromText(`$${i + 1}::text`, column)).join(', ')
  return {
    sumsOfPlayers: statement(name('sums'), `select t.player, ${sums} ${playersClause(shape)} group by t.player`),
    keysOfPlayers: statement(name('keys'), `select ${listed} ${playersClause(shape)}`),
    sumsInRange: statement(name('sums'), `select ${sums} ${rangeClause(shape)}`),
    keysInRange: statement(name('keys'), `select ${listed} ${rangeClause(shape)}`),
    bound: statement(
      name('bound'),
      `select ${keyOf(shape)} as key from ${rowSource(shape)} where $1::text is null or (${order}) > (${after})
       order by ${order} offset $${key.length + 1}::int limit 1`,
    ),
    read: statement(
      name('read'),
      `select array[${columns.map(asText).join(', ')}] as row from unnest(${formatLists(key)}) as k (${formatNames(key)})
       cross join lateral (select * from ${rowSource(shape)} where ${matchesKey} offset 0) t`,
    ),
    put:
      table === 'bet_event'
        ? statement(
            name('put'),
            `insert into purser.bet_event (bucket, event_id, first_seen_at)
             select b, ${values} from ${rows} cross join generate_series(0, $1::int - 1) as b`,
          )
        : statement(
            name('put'),
            `insert into purser.${table} (${hasBucket ? 'bucket, ' : ''}${formatNames(columns)})
             select ${hasBucket ? '$1::int, ' : ''}${values} from ${rows} ${hasBucket ? '' : 'where $1::int is not null '}on conflict ${conflict}`,
          ),
    remove: statement(
      name('remove'),
      `delete from purser.${table} t using unnest(${formatLists(key)}) as k (${formatNames(key)}) where ${matchesKey}`,
    ),
    count: statement(name('count'), `select count(*)::text as rows from purser.${table}`),
  }
}
