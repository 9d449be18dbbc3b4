// The three servers that are compared, and what each needs to be started.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServer } from './server-process.ts'

export type SubjectName = 'purser' | 'plain' | 'signature-only'

export interface Subject {
  name: SubjectName
  /** The database with the players in it; each round gets a fresh copy. */
  seed?: string
  countBets?: string
  start(databaseUrl: string): Promise<ServerProcess>
}

/** As production wants them (O-1): of this run alone. */
export const newSecret = () => randomBytes(32).toString('hex')

export const SECRET = newSecret()
export const OPERATOR_KEY = newSecret()
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export function subjects(plainPool: number): Subject[] {
  return [
    {
      name: 'purser',
      seed: 'purser_seed',
      countBets: 'select count(*) from purser.bet',
      start: startPurser,
    },
    {
      name: 'plain',
      seed: 'plain_seed',
      countBets: 'select count(*) from bet',
      start: (databaseUrl) =>
        startServer([beside('plain-server.js')], {
          DATABASE_URL: databaseUrl,
          PARTNER_SECRET: SECRET,
          POOL_SIZE: `${plainPool}`,
        }),
    },
    {
      name: 'signature-only',
      start: () => startServer([beside('signature-only.js')], { PARTNER_SECRET: SECRET }),
    },
  ]
}

export function startPurser(databaseUrl: string): Promise<ServerProcess> {
  return startServer([MAIN, 'wallet'], purserEnvironment(databaseUrl))
}

export function purserEnvironment(databaseUrl: string): Record<string, string> {
  return { DATABASE_URL: databaseUrl, PARTNER_SECRET: SECRET, OPERATOR_API_KEY: OPERATOR_KEY, LOG_LEVEL: 'warn' }
}
