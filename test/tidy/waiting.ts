/**
 * Finds quick tests that wait for milliseconds instead of a condition. On a busy machine any number
 * is too small, and on a free machine it wastes time.
 */
import { isNode, lineOf, type Node, type Source } from './source.ts'

/** Exceptions: these tests are about time, and a slow machine cannot fail them. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  // A statement must still run when the one before it fails, or when the connection is cut.
  'packages/server/test/db/lane.test.ts': ['pg_sleep'],
  // The timeout of one call: a reply that arrives too late, and replies that occupy connections.
  'packages/protocol/test/client/call.test.ts': ['delayMs'],
  // The simulated clock passes only when the test moves it.
  'packages/runtime/test/environment.test.ts': ['sleep'],
  // The planted fault.
  'test/tidy.test.ts': ['pg_sleep'],
}

const SLEEPS = /^(sleep|setTimeout|setInterval|wait|delay|pause)$/
const HAS_SHORT_TIMEOUT = /^vi\.(waitFor|waitUntil)$/
const IS_OLD_ENOUGH_TO_FAIL = /(performance\.now|Date\.now|\bms\b|Ms\b).*\.toBeLessThan(OrEqual)?$/s
const LOOPS = ['WhileStatement', 'DoWhileStatement']

/** The suffix names the other need of a test: time (long, nightly) or a browser. */
const isQuickTest = (path: string) => /(?<!\.(browser|long|nightly))\.test\.ts$/.test(path)

/**
 * Finds a bare sleep, a delayed reply, a wait with a short limit, and an upper bound for a measured
 * time.
 */
export function complaintsAboutWaiting(source: Source): string[] {
  if (!isQuickTest(source.path)) return []
  const polls = source.nodes.filter(({ type }) => LOOPS.includes(type))
  const found = source.nodes.flatMap((node) => {
    const what = waitIn(source, node, polls)
    return what === undefined || MAY[source.path]?.includes(what) ? [] : [{ node, what }]
  })
  return found.map(({ node, what }) => `${source.path}:${lineOf(source, node.start)}: waits for milliseconds: ${what}`)
}

function waitIn({ text }: Source, node: Node, polls: readonly Node[]): string | undefined {
  if (node.type === 'CallExpression' && isNode(node.callee)) {
    const callee = text.slice(node.callee.start, node.callee.end)
    const isPolling = polls.some((loop) => loop.start < node.start && node.end <= loop.end)
    if (SLEEPS.test(callee) && !isPolling) return callee
    return HAS_SHORT_TIMEOUT.test(callee) || IS_OLD_ENOUGH_TO_FAIL.test(callee) ? callee : undefined
  }
  if (node.type === 'Property' && isNode(node.key) && /^(body)?delayMs$/i.test(String(node.key.name))) return 'delayMs'
  const literal = node.type === 'Literal' || node.type === 'TemplateLiteral'
  return literal && text.slice(node.start, node.end).includes('pg_sleep(') ? 'pg_sleep' : undefined
}
