/**
 * Starts the Citus nodes of `npm run test:citus` (globalSetup of vitest): a coordinator and two
 * workers on loopback.
 *
 * Each node has its own folder and commits as in production. PURSER_CITUS names the folder of a
 * Postgres with Citus, since no package of this repository contains Citus.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type OtherServer, type PostgresSettings, type Server, startPostgres } from './postgres-server.ts'

const WORKERS = 2
/** The image in the profile of compose.yaml has the same settings. */
export const NODE_SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: '200',
  'citus.node_conninfo': 'sslmode=disable',
}
const SETTINGS = { ...NODE_SETTINGS, 'citus.local_hostname': '127.0.0.1' }

let nodes: Server[] = []

export async function setup(project: TestProject): Promise<void> {
  nodes = await startCitus(startPostgres)
  const [coordinator = '', ...workers] = nodes.map(({ url }) => url)
  project.provide('postgresUrl', coordinator)
  project.provide('citusWorkers', workers)
}

export async function teardown(): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()))
}

/** The coordinator comes first. `start` may start servers that a test can kill. */
export async function startCitus<S extends Server>(
  start: (settings: PostgresSettings, other: OtherServer) => Promise<S>,
  workers = WORKERS,
  more: PostgresSettings = {},
): Promise<S[]> {
  const native = citusFolder()
  const password = randomBytes(16).toString('hex')
  return Promise.all(Array.from({ length: 1 + workers }, () => start({ ...SETTINGS, ...more }, { native, password })))
}

function citusFolder(): string {
  const folder = process.env.PURSER_CITUS ?? ''
  if (folder !== '' && existsSync(join(folder, 'bin', 'postgres'))) return folder
  throw new Error('PURSER_CITUS must name the folder of a Postgres with Citus, such as /usr/lib/postgresql/15')
}
