/**
 * Starts three Citus nodes for manual trials (`npm run citus`). The nodes and their data end with
 * this process.
 */
import { makeCitusDatabase } from '../support/citus-database.ts'
import { startCitus } from '../support/citus-nodes.ts'
import { startPostgres } from '../support/postgres-server.ts'

const DATABASE = 'purser'

const nodes = (await startCitus(startPostgres)).map(({ url }) => url)
const url = await makeCitusDatabase(DATABASE, nodes)
process.stdout.write(`DATABASE_URL=${url}\n`)
process.stderr.write(
  'A coordinator and two workers run until Ctrl-C. Next: purser migrate --citus 8, then purser wallet\n',
)
setInterval(() => {}, 2 ** 30)
