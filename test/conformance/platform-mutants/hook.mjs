/**
 * A `--drive` hook for the test platform: node hook.mjs <url of the test platform>. The request
 * arrives on stdin. Exit code 0 means done, 3 that the platform cannot do it.
 */
import { text } from 'node:stream/consumers'

const UNABLE = 3
const [, , url] = process.argv

async function call(method, path, body) {
  const answer = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
  return answer.json()
}

const wish = JSON.parse(await text(process.stdin))

switch (wish.do) {
  case 'partner':
    await call('POST', '/partners', wish)
    break
  case 'frame':
    await call('POST', '/frame-sessions', wish)
    break
  case 'place': {
    const { frameSessionId } = await call('POST', '/frame-sessions', wish)
    await call('POST', '/bets', { frameSessionId, amount: wish.amount })
    break
  }
  case 'settle':
  case 'unsettle':
  case 'cancel':
    await call('POST', `/bets/${wish.bet}/${wish.do}`, wish)
    break
  case 'look': {
    const { status, deliveries } = await call('GET', `/bets/${wish.bet}`)
    process.stdout.write(JSON.stringify({ status, delivery: deliveries.at(-1)?.status }))
    break
  }
  default:
    process.exitCode = UNABLE
}
