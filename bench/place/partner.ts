// The partner of the placement bench accepts every call at once, so that only the platform is
// measured.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { requireVariable } from '../raw-body-server.ts'

const ID = /"transactionId":"([^"]*)"/
const TOKEN = /"token":"([^"]*)"/

function answerTo(path: string, text: string): object {
  if (path.endsWith('/payment/bet'))
    return { transactionId: ID.exec(text)?.[1] ?? '', transactionTime: new Date().toISOString() }
  const token = TOKEN.exec(text)?.[1] ?? ''
  return { userId: createHash('sha256').update(token).digest('hex').slice(0, 16), currency: 'EUR' }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = JSON.stringify(answerTo(request.url ?? '', Buffer.concat(chunks).toString('latin1')))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
  })
})
server.keepAliveTimeout = 60_000
process.once('SIGTERM', () => server.close().closeAllConnections())
server.listen(Math.trunc(+requireVariable('PORT')), '127.0.0.1')
