/** Creates a database on several Citus nodes: first on the coordinator, then on its workers. */
import pg from 'pg'

/** Resolves to the address of the coordinator. */
export async function makeCitusDatabase(name: string, nodes: readonly string[]): Promise<string> {
  for (const node of nodes) {
    await inAdmin(node, async (admin) => void (await admin.query(`create database ${name}`)))
    await inAdmin(named(node, name), async (owner) => void (await owner.query('create extension citus')))
  }
  const [coordinator = '', ...workers] = nodes
  await inAdmin(named(coordinator, name), async (owner) => {
    await owner.query('select citus_set_coordinator_host($1, $2)', addressOf(coordinator))
    for (const worker of workers) await owner.query('select citus_add_node($1, $2)', addressOf(worker))
  })
  return named(coordinator, name)
}

export async function dropCitusDatabase(name: string, nodes: readonly string[]): Promise<void> {
  for (const node of nodes)
    await inAdmin(node, async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`)))
}

export async function inAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

function addressOf(url: string): [host: string, port: number] {
  const { hostname, port } = new URL(url)
  return [hostname, Number(port)]
}

function named(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
