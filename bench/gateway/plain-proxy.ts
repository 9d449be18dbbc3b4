// The peer with which the gateway is compared: a reverse proxy that verifies each call and signs it
// with the operator's secret. It knows one operator and no player.
import { Pool } from 'undici'
import { createRawBodyServer, listenUntilTerminated, requireVariable } from '../raw-body-server.ts'
import { isSignatureGood, signBody } from '../signature.ts'

const secret = requireVariable('PARTNER_SECRET')
const operatorSecret = requireVariable('OPERATOR_SECRET')
/** The gateway has the same number for one operator. */
const CONNECTIONS = 64
const operator = new Pool(requireVariable('OPERATOR_URL'), { connections: CONNECTIONS, pipelining: 1 })
const server = createRawBodyServer()

server.post<{ Body: Buffer }>('/payment/bet', async ({ headers, body }, reply) => {
  if (!isSignatureGood(secret, headers['x-sign-jws'], body))
    return reply.code(400).send({ code: 1, message: 'Bad signature' })
  const signed = { 'content-type': 'application/json', 'x-sign-jws': signBody(operatorSecret, body) }
  const answer = await operator.request({ method: 'POST', path: '/payment/bet', headers: signed, body })
  const text = await answer.body.text()
  return reply.code(answer.statusCode).header('content-type', 'application/json').send(text)
})

await listenUntilTerminated(server)
