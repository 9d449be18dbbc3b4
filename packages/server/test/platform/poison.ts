/**
 * Makes the database reject changes of certain rows, as with a damaged page or an additional rule.
 */
import type { TestPlatform } from '../support/platform.ts'

type Sql = Pick<TestPlatform, 'sql'>

/** Rejects each update of a table after which `when` would be true. */
export async function refuseWrites({ sql }: Sql, table: 'bet' | 'delivery' | 'event', when: string): Promise<void> {
  await sql('create sequence platform.poisoned')
  await sql('grant usage on sequence platform.poisoned to public')
  await sql(`create function platform.poison() returns trigger language plpgsql as
    $$ begin perform nextval('platform.poisoned'); raise exception 'poison' using errcode = 'check_violation'; end $$`)
  await sql(`create trigger poison before update on platform.${table} for each row
    when (${when}) execute function platform.poison()`)
}

export async function allowWrites({ sql }: Sql): Promise<void> {
  await sql('drop function platform.poison cascade')
  await sql('drop sequence if exists platform.poisoned')
}

/** The number of rejections. A sequence continues although its transaction is rolled back. */
export async function timesRefused({ sql }: Sql): Promise<unknown> {
  return (await sql('select last_value from platform.poisoned'))[0]?.last_value
}
