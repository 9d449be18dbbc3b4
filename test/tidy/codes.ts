/**
 * Checks that code uses reply codes and rollback reasons by name. A bare number is reported where
 * code compares, lists or writes it.
 */
import { REPLY_CODES, ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { isNode, lineOf, memberOf, type Node, type Source } from './source.ts'

const NUMBERS = new Set([
  ...Object.values(REPLY_CODES).map(({ code }) => code),
  ...Object.keys(ROLLBACK_REASONS).map(Number),
])

/**
 * Expressions that hold a code: `code`, `answer.code`, `errorCode`. Character codes are compared
 * with hexadecimals, and exit code 0 is no reply code.
 */
const HOLDS_A_CODE = /(^|\.)(code|\w+Code|refusal)( \?\? \d+)?$/
/** Constants that are, or list, codes: REFUSES_A_RESULT, PLACE_REFUSED, ERROR_CODES. */
const NAMES_CODES = /^(?!MAX_)(.*_)?(CODES?|REFUS\w*|DECLINED|REASONS?|PROCESSED)(_|$)/
const REFUSES =
  /^(refuse|refusal|refusedWith|declined|no|refuseCall|refusalAnswer|declinedCase|allowRefused|toRefused|createRefusal)$/
/** A code in the platform's texts, and in a body. */
const IN_TEXT = /^partner code \d+$|"(code|errorCode)":\d+/

export function complaintsAboutBareCodes(source: Source): string[] {
  if (source.path === 'packages/protocol/src/reply-codes.ts') return []
  const found = source.nodes.filter((node) => isBare(source, node))
  return found.map(
    ({ start }) => `${source.path}:${lineOf(source, start)}: a bare code has a name in protocol/codes.ts`,
  )
}

function isBare(source: Source, node: Node): boolean {
  const text = (name: string) => textOf(source, memberOf(node, name))
  switch (node.type) {
    case 'BinaryExpression':
      return isCompared(source, node, text)
    case 'CallExpression':
      return REFUSES.test(text('callee')) ? listOf(node.arguments).some(isCode) : isLookedUp(source, node)
    case 'VariableDeclarator':
      return NAMES_CODES.test(text('id')) && holdsCodes(memberOf(node, 'init'))
    case 'Property':
      return text('key') === 'errorCode' && isCode(memberOf(node, 'value')) && !isExample(source, node)
    case 'ObjectExpression':
      return isAnswer(source, node) && !isExample(source, node)
    case 'SwitchStatement':
      return HOLDS_A_CODE.test(text('discriminant')) && listOf(node.cases).some((one) => isCode(memberOf(one, 'test')))
    case 'Literal':
      return IN_TEXT.test(String(node.value ?? node.raw)) && !isExample(source, node)
    default:
      return false
  }
}

/** The other side is a number, or a constant of this file with a number. */
function isCompared(source: Source, node: Node, text: (name: string) => string): boolean {
  if (!/^[=!]==?$/.test(String(node.operator))) return false
  const stands = (side: string, other: string) =>
    HOLDS_A_CODE.test(text(other)) && (isCode(memberOf(node, side)) || isConstant(source, text(side)))
  return stands('right', 'left') || stands('left', 'right')
}

function isConstant({ nodes }: Source, name: string): boolean {
  if (name.startsWith('EXIT')) return false // exit code of a command
  const declared = nodes.filter((node) => node.type === 'VariableDeclarator' && memberOf(node, 'id')?.name === name)
  return declared.some((node) => isCode(memberOf(node, 'init')))
}

/** `{ kind: 'refusal', code: 5 }`, `{ code: 100, message: 'System error' }` */
function isAnswer(source: Source, node: Node): boolean {
  const members = listOf(node.properties)
  const named = (name: RegExp) => members.filter((one) => name.test(textOf(source, memberOf(one, 'key'))))
  return named(/^code$/).some((one) => isCode(memberOf(one, 'value'))) && named(/^(kind|status|message)$/).length > 0
}

/** `[5, 20].includes(code)` */
function isLookedUp(source: Source, node: Node): boolean {
  const list = memberOf(memberOf(node, 'callee') ?? node, 'object')
  const [sought] = listOf(node.arguments)
  return holdsCodes(list) && HOLDS_A_CODE.test(textOf(source, sought))
}

function holdsCodes(node: Node | undefined): boolean {
  if (node?.type === 'ArrayExpression') return listOf(node.elements).some(isCode)
  if (node?.type === 'ObjectExpression') return listOf(node.properties).some((one) => isCode(memberOf(one, 'key')))
  return isCode(node)
}

function isCode(node: Node | undefined): boolean {
  return (
    node?.type === 'Literal' && typeof node.value === 'number' && NUMBERS.has(node.value) && /^\d+$/.test(`${node.raw}`)
  )
}

/** An example in the API document shows the bytes on the wire. */
function isExample({ nodes }: Source, inner: Node): boolean {
  const examples = nodes.filter((node) => node.type === 'Property' && memberOf(node, 'key')?.name === 'examples')
  return examples.some(({ start, end }) => start <= inner.start && inner.end <= end)
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

function textOf({ text }: Source, node: Node | undefined): string {
  return node === undefined ? '' : text.slice(node.start, node.end)
}
