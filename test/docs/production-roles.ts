/** Creates the roles and the database of the production guide on a test Postgres. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SecondPostgres } from '../../packages/server/test/support/second-postgres.ts'
import { blocksOf } from './markdown.ts'
import { ROOT } from './session.ts'

export const PRODUCTION_PAGE = 'docs/guides/run-in-production.md'

export async function makeProductionRoles(postgres: SecondPostgres): Promise<void> {
  const blocks = blocksOf(readFileSync(join(ROOT, PRODUCTION_PAGE), 'utf8'))
  const roles = blocks.find(({ info }) => info === 'sql roles')
  for (const sql of roles?.text.split(';') ?? []) await postgres.execute(sql)
}

/** The address of that database for a role, with the guide's password. */
export function productionUrl(postgres: SecondPostgres, role: 'owner' | 'wallet'): string {
  const parts = { username: `purser_${role}`, password: `${role.toUpperCase()}_PASSWORD`, pathname: '/purser' }
  return Object.assign(new URL(postgres.url), parts).href
}
