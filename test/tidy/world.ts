/** Time, turns and chance come from src/runtime/world.ts, so that a simulation can put its own in that place. */
import { importsOf, isNode, lineOf, memberOf, type Node, type Source } from './source.ts'

/** They stand outside of what is simulated: they judge, load, show or ask servers, in real time. The last one puts another world in this one's place. */
const OUTSIDE = [
  ...['src/conformance/', 'src/load/', 'src/sandbox/', 'src/simulate/main.ts', 'src/http/own-api.ts'],
  'src/simulate/market/virtual-world.ts',
]
const THE_WORLD = 'src/runtime/world.ts'

/** Not yet: what stands before the calls, where bytes and connections are real, and what begins wallet and gateway. This list only gets shorter. */
export const LATER: readonly string[] = ['src/http/app.ts', 'src/process/gateway.ts', 'src/process/wallet.ts']

const MEMBERS = /^(Date\.now|performance\.now|Math\.random|process\.hrtime|AbortSignal\.timeout|crypto\.randomUUID)$/
const FUNCTIONS = /^(setTimeout|setInterval|setImmediate|randomUUID)$/
const MODULES = /^(node:)?timers(\/promises)?$/

export function complaintsAboutTheWorld(source: Source): string[] {
  const { path } = source
  if (!path.startsWith('src/') || path === THE_WORLD || OUTSIDE.some((one) => path.startsWith(one))) return []
  const found = globalsIn(source)
  if (!LATER.includes(path)) return found.map((what) => `${path}:${what}: comes from ${THE_WORLD}`)
  return found.length === 0 ? [`${path}: asks the world; take it off the list in test/tidy/world.ts`] : []
}

function globalsIn(source: Source): string[] {
  const imported = importsOf(source).filter(({ from }) => MODULES.test(from))
  const named = source.nodes.flatMap((node) => {
    const what = globalIn(source, node)
    return what === undefined ? [] : [`${lineOf(source, node.start)}: ${what}`]
  })
  return [...imported.map(({ line, from }) => `${line}: ${from}`), ...named]
}

function globalIn({ text }: Source, node: Node): string | undefined {
  const textOf = (member: Node | undefined) => (member === undefined ? '' : text.slice(member.start, member.end))
  switch (node.type) {
    case 'MemberExpression':
      return MEMBERS.test(textOf(node)) ? textOf(node) : undefined
    case 'NewExpression': {
      const isNow =
        textOf(memberOf(node, 'callee')) === 'Date' && Array.isArray(node.arguments) && !node.arguments.some(isNode)
      return isNow ? 'new Date()' : undefined
    }
    case 'CallExpression': {
      const callee = textOf(memberOf(node, 'callee'))
      return FUNCTIONS.test(callee) || callee === 'Date' ? callee : undefined
    }
    case 'ImportSpecifier':
      return textOf(memberOf(node, 'imported')) === 'randomUUID' ? 'randomUUID' : undefined
    default:
      return undefined
  }
}
