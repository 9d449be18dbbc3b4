import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServer } from './server-process.ts'

/** `port-N`: N processes on one port (PURSER_PROCESSES). */
export type SubjectName =
  | 'port-1'
  | 'port-2'
  | 'port-4'
  | 'purser'
  | 'no-journal'
  | 'before'
  | 'plain'
  | 'signature-only'

export interface Subject {
  name: SubjectName
  /** The database with the players; each round gets a fresh copy. */
  seed?: string
  countBets?: string
  /** The server starts its own processes, so it is started only once. */
  isOnePort?: true
  /** The program of a purser, for its audit. */
  main?: string
  start(databaseUrl: string): Promise<ServerProcess>
}

/** A new secret for each run, as production requires (O-1). */
export const createSecret = () => randomBytes(32).toString('hex')

export const SECRET = createSecret()
export const OPERATOR_KEY = createSecret()
export const MAIN = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url))

/** `against` is a folder with another build of Purser. */
export const mainIn = (folder: string) => join(folder, 'packages/server/dist/main.js')

const siblingFile = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export function listSubjects({ plainPool, against }: { plainPool: number; against: string | undefined }): Subject[] {
  return [
    purserAt('purser', MAIN),
    purserAt('no-journal', MAIN, { PURSER_JOURNAL_DAYS: '0' }),
    ...([1, 2, 4] as const).map((count) => ({
      ...purserAt(`port-${count}`, MAIN, { PURSER_PROCESSES: `${count}` }),
      isOnePort: true as const,
    })),
    ...(against === undefined ? [] : [purserAt('before', mainIn(against))]),
    {
      name: 'plain',
      seed: 'plain_seed',
      countBets: 'select count(*) from bet',
      start: (databaseUrl) =>
        startServer([siblingFile('plain-server.js')], {
          DATABASE_URL: databaseUrl,
          PARTNER_SECRET: SECRET,
          POOL_SIZE: `${plainPool}`,
        }),
    },
    {
      name: 'signature-only',
      start: () => startServer([siblingFile('signature-only.js')], { PARTNER_SECRET: SECRET }),
    },
  ]
}

function purserAt(
  name: Exclude<SubjectName, 'plain' | 'signature-only'>,
  main: string,
  env: Record<string, string> = {},
): Subject {
  return {
    name,
    main,
    seed: `${name.replace('-', '_')}_seed`,
    countBets: 'select count(*) from purser.bet',
    start: (databaseUrl) => startPurser(databaseUrl, main, env),
  }
}

export function startPurser(
  databaseUrl: string,
  main = MAIN,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  return startServer([main, 'wallet'], { ...purserEnvironment(databaseUrl), ...env })
}

export function purserEnvironment(databaseUrl: string): Record<string, string> {
  return { DATABASE_URL: databaseUrl, PARTNER_SECRET: SECRET, OPERATOR_API_KEY: OPERATOR_KEY }
}
