/**
 * A `--drive` hook for the test platform: node hook.mjs <url of the test platform>. The request
 * arrives on stdin. Exit code 0 means done; 3 means that the platform cannot do it.
 */
import { text } from 'node:stream/consumers'

const UNABLE = 3
const [, , url] = process.argv

async function call(method, path, body) {
  const answer = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
  return answer.json()
}

const request = JSON.parse(await text(process.stdin))

switch (request.do) {
  case 'partner':
    await call('POST', '/partners', request)
    break
  case 'frame':
    await call('POST', '/frame-sessions', request)
    break
  case 'place': {
    const { frameSessionId } = await call('POST', '/frame-sessions', request)
    await call('POST', '/bets', { frameSessionId, amount: request.amount })
    break
  }
  case 'settle':
  case 'unsettle':
  case 'cancel':
    await call('POST', `/bets/${request.bet}/${request.do}`, request)
    break
  case 'look': {
    const { status, deliveries } = await call('GET', `/bets/${request.bet}`)
    process.stdout.write(JSON.stringify({ status, delivery: deliveries.at(-1)?.status }))
    break
  }
  default:
    process.exitCode = UNABLE
}
