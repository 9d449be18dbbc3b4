// The operator of the gateway bench verifies the signature and replies at once, so that only the
// process before it is measured.
import { createHash } from 'node:crypto'
import { createRawBodyServer, listenUntilTerminated, requireVariable } from '../raw-body-server.ts'
import { isSignatureGood } from '../signature.ts'

const secret = requireVariable('PARTNER_SECRET')
const server = createRawBodyServer()
const REFUSAL = { code: 1, message: 'Bad signature' }

server.post<{ Body: Buffer }>('/payment/bet', async (request, reply) => {
  if (!isSignatureGood(secret, request.headers['x-sign-jws'], request.body)) return reply.code(400).send(REFUSAL)
  return { transactionId: '00000000-0000-4000-8000-000000000000', transactionTime: new Date().toISOString() }
})

/** Every token returns a player. */
server.post<{ Body: Buffer }>('/user/profile', async (request, reply) => {
  if (!isSignatureGood(secret, request.headers['x-sign-jws'], request.body)) return reply.code(400).send(REFUSAL)
  const { token } = JSON.parse(request.body.toString())
  return { userId: createHash('sha256').update(token).digest('hex').slice(0, 16), currency: 'EUR' }
})

await listenUntilTerminated(server)
