// The lower reference: Place bet and the first result of a bet, written by hand without special
// tricks. It uses Fastify, a pg pool, prepared statements and one transaction per request. A row
// lock guards the balance, a bet is unique, and each bet has a ledger row. The money is right, at
// six round trips and one fsync per bet.
import pg from 'pg'
import { createRawBodyServer, listenUntilTerminated, requireVariable } from './raw-body-server.ts'
import { isSignatureGood } from './signature.ts'

interface PlaceBet {
  type: number
  requestId: string
  transactionId: string
  token: string
  userId: string
  amount: number
  currency: string
}
type Reply = { transactionId: string; transactionTime: string } | { code: number; message: string }

const UNIQUE_VIOLATION = '23505'
const secret = requireVariable('PARTNER_SECRET')
const pool = new pg.Pool({
  connectionString: requireVariable('DATABASE_URL'),
  max: Math.trunc(+requireVariable('POOL_SIZE')),
})
pool.on('error', () => {})

async function placeBet(client: pg.PoolClient, bet: PlaceBet): Promise<Reply> {
  const stake = Math.round(bet.amount * 100)
  await client.query('begin')
  const balance = await lockBalance(client, bet)
  if (balance === undefined) return refuse(client, 3, 'Invalid token')
  if (balance < stake) return refuse(client, 7, 'Not enough money')
  const placedAt = await insertBet(client, bet, stake)
  await client.query({
    name: 'debit',
    text: 'update account set balance = balance - $3 where user_id = $1 and currency = $2',
    values: [bet.userId, bet.currency, stake],
  })
  await client.query({
    name: 'ledger',
    text: 'insert into ledger (user_id, transaction_id, amount, balance_after) values ($1, $2, $3, $4)',
    values: [bet.userId, bet.transactionId, -stake, balance - stake],
  })
  await client.query('commit')
  return { transactionId: bet.transactionId, transactionTime: placedAt.toISOString() }
}

/** Token and balance in one statement, since a join saves a round trip. */
async function lockBalance(client: pg.PoolClient, bet: PlaceBet): Promise<number | undefined> {
  const { rows } = await client.query<{ balance: string }>({
    name: 'lock',
    text: `select a.balance from session s join account a using (user_id, currency)
           where s.token = $1 and s.user_id = $2 and s.currency = $3 and s.expires_at > now() for update of a`,
    values: [bet.token, bet.userId, bet.currency],
  })
  return rows[0] && +rows[0].balance
}

async function insertBet(client: pg.PoolClient, bet: PlaceBet, stake: number): Promise<Date> {
  const { rows } = await client.query<{ placed_at: Date }>({
    name: 'bet',
    text: `insert into bet (user_id, transaction_id, request_id, currency, stake)
           values ($1, $2, $3, $4, $5) returning placed_at`,
    values: [bet.userId, bet.transactionId, bet.requestId, bet.currency, stake],
  })
  return rows[0]!.placed_at
}

/** The first result of a bet; a later one gets the reply for the bet's state. */
async function settle(client: pg.PoolClient, result: PlaceBet): Promise<Reply> {
  const payout = Math.round(result.amount * 100)
  await client.query('begin')
  const { rows } = await client.query<{ status: string }>({
    name: 'lock-bet',
    text: 'select status from bet where user_id = $1 and transaction_id = $2 and currency = $3 for update',
    values: [result.userId, result.transactionId, result.currency],
  })
  if (rows[0]?.status !== 'open') return refuse(client, 5, 'Unknown bet')
  await client.query({
    name: 'settle',
    text: `update bet set status = 'settled' where user_id = $1 and transaction_id = $2`,
    values: [result.userId, result.transactionId],
  })
  const credited = await client.query<{ balance: string }>({
    name: 'credit',
    text: 'update account set balance = balance + $3 where user_id = $1 and currency = $2 returning balance',
    values: [result.userId, result.currency, payout],
  })
  await client.query({
    name: 'ledger',
    text: 'insert into ledger (user_id, transaction_id, amount, balance_after) values ($1, $2, $3, $4)',
    values: [result.userId, result.transactionId, payout, credited.rows[0]?.balance],
  })
  await client.query('commit')
  return { transactionId: result.transactionId, transactionTime: new Date().toISOString() }
}

async function refuse(client: pg.PoolClient, code: number, message: string): Promise<Reply> {
  await client.query('rollback')
  return { code, message }
}

async function orRollBack(bet: PlaceBet, apply: typeof placeBet): Promise<Reply> {
  const client = await pool.connect()
  try {
    return await apply(client, bet)
  } catch (error) {
    await client.query('rollback')
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return repeatOf(client, bet)
    return { code: 100, message: 'System error' }
  } finally {
    client.release()
  }
}

async function repeatOf(client: pg.PoolClient, bet: PlaceBet): Promise<Reply> {
  const { rows } = await client.query<{ placed_at: Date }>(
    'select placed_at from bet where user_id = $1 and transaction_id = $2',
    [bet.userId, bet.transactionId],
  )
  return { transactionId: bet.transactionId, transactionTime: rows[0]!.placed_at.toISOString() }
}

const server = createRawBodyServer()
server.addHook('onClose', () => pool.end())
server.route<{ Body: Buffer }>({
  method: ['POST', 'PUT'],
  url: '/payment/bet',
  async handler(request, reply) {
    if (!isSignatureGood(secret, request.headers['x-sign-jws'], request.body)) {
      return reply.code(400).send({ code: 1, message: 'Bad signature' })
    }
    const apply = request.method === 'POST' ? placeBet : settle
    const answer = await orRollBack(JSON.parse(request.body.toString()) as PlaceBet, apply)
    return reply.code('code' in answer ? 400 : 200).send(answer)
  },
})

await listenUntilTerminated(server)
