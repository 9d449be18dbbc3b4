// The peer: a reverse proxy that verifies, signs anew with the operator's secret, and changes nothing in either direction.
// It knows one operator and no player.
import { Pool } from 'undici'
import { listenUntilTerminated, rawBodyServer, required } from '../raw-body-server.ts'
import { sign, signatureIsGood } from '../signature.ts'

const secret = required('PARTNER_SECRET')
const operatorSecret = required('OPERATOR_SECRET')
/** As many as the gateway has to one operator. */
const CONNECTIONS = 64
const operator = new Pool(required('OPERATOR_URL'), { connections: CONNECTIONS, pipelining: 1 })
const server = rawBodyServer()

server.post<{ Body: Buffer }>('/payment/bet', async ({ headers, body }, reply) => {
  if (!signatureIsGood(secret, headers['x-sign-jws'], body))
    return reply.code(400).send({ code: 1, message: 'Bad signature' })
  const signed = { 'content-type': 'application/json', 'x-sign-jws': sign(operatorSecret, body) }
  const answer = await operator.request({ method: 'POST', path: '/payment/bet', headers: signed, body })
  const text = await answer.body.text()
  return reply.code(answer.statusCode).header('content-type', 'application/json').send(text)
})

await listenUntilTerminated(server)
