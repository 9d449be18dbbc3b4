/**
 * Finds source files that do not take time, turns of the event loop or randomness from
 * packages/runtime/src/environment.ts. A simulation can replace only that file's functions.
 */
import { importsOf, isNode, lineOf, memberOf, type Node, type Source } from './source.ts'

/**
 * Files that judge, load, show or query servers in real time. The last one is the replacement
 * itself.
 */
const OUTSIDE = [
  ...[
    'packages/conformance/src/',
    'packages/server/src/sandbox/',
    'packages/simulator/src/main.ts',
    'packages/protocol/src/client/api-client.ts',
  ],
  'packages/simulator/src/market/network/virtual-environment.ts',
]
const THE_WORLD = 'packages/runtime/src/environment.ts'

/** Members, written with their object. */
const MEMBERS =
  /^(Date\.now|process\.(hrtime|uptime)|AbortSignal\.timeout|Math\.random|crypto\.(randomUUID|randomBytes|getRandomValues))$/
/** Globals that are reported in any use. */
const NAMES =
  /^(setTimeout|setInterval|setImmediate|queueMicrotask|performance|randomUUID|randomBytes|randomInt|getRandomValues|globalThis)$/
const MODULES = /^(node:)?(timers(\/promises)?|perf_hooks)$/
/** Objects that may not be destructured. */
const NOT_DESTRUCTURED = /^(Date|Math|crypto|AbortSignal)$/

export function complaintsAboutTheWorld(source: Source): string[] {
  const { path } = source
  if (
    !/^packages\/(?!console)\w+\/src\//.test(path) ||
    path === THE_WORLD ||
    OUTSIDE.some((one) => path.startsWith(one))
  )
    return []
  return globalsIn(source).map((what) => `${path}:${what}: comes from ${THE_WORLD}`)
}

function globalsIn(source: Source): string[] {
  const imported = importsOf(source).filter(({ from }) => MODULES.test(from))
  const names = new Set(source.nodes.flatMap(namesOfOthers))
  const named = source.nodes.flatMap((node) => {
    const what = names.has(node) ? undefined : globalIn(source, node)
    return what === undefined ? [] : [`${lineOf(source, node.start)}: ${what}`]
  })
  return [...imported.map(({ line, from }) => `${line}: ${from}`), ...named]
}

/** Names of members of other objects: `socket.setTimeout`, `{ setTimeout: 5 }`. */
function namesOfOthers(node: Node): Node[] {
  const name = node.type === 'MemberExpression' ? memberOf(node, 'property') : memberOf(node, 'key')
  return name === undefined || node.computed === true || node.shorthand === true ? [] : [name]
}

function globalIn({ text }: Source, node: Node): string | undefined {
  const textOf = (member: Node | undefined) => (member === undefined ? '' : text.slice(member.start, member.end))
  switch (node.type) {
    case 'Identifier':
      return NAMES.test(textOf(node)) ? textOf(node) : undefined
    case 'MemberExpression': {
      const spelt = textOf(node)
        .replace(/\?\.(?=\[)/, '')
        .replace('?.', '.')
        .replace(/\[['"`](\w+)['"`]\]$/, '.$1')
      return MEMBERS.test(spelt) ? spelt : undefined
    }
    case 'VariableDeclarator': {
      const [id, from] = [memberOf(node, 'id'), textOf(memberOf(node, 'init'))]
      return id?.type === 'ObjectPattern' && NOT_DESTRUCTURED.test(from) ? `parts of ${from}` : undefined
    }
    case 'NewExpression': {
      const isNow =
        textOf(memberOf(node, 'callee')) === 'Date' && Array.isArray(node.arguments) && !node.arguments.some(isNode)
      return isNow ? 'new Date()' : undefined
    }
    case 'CallExpression':
      return textOf(memberOf(node, 'callee')) === 'Date' ? 'Date' : undefined
    default:
      return undefined
  }
}
