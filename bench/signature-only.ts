// The upper reference: a server that only verifies the signature and replies with a body of the
// right form.
import { createRawBodyServer, listenUntilTerminated, requireVariable } from './raw-body-server.ts'
import { isSignatureGood } from './signature.ts'

const secret = requireVariable('PARTNER_SECRET')
const server = createRawBodyServer()

server.route<{ Body: Buffer }>({
  method: ['POST', 'PUT'],
  url: '/payment/bet',
  async handler(request, reply) {
    if (!isSignatureGood(secret, request.headers['x-sign-jws'], request.body)) {
      return reply.code(400).send({ code: 1, message: 'Bad signature' })
    }
    return { transactionId: '00000000-0000-4000-8000-000000000000', transactionTime: new Date().toISOString() }
  },
})

await listenUntilTerminated(server)
