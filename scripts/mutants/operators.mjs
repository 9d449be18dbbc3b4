/**
 * Finds places for mutations in the syntax tree of a source. A mutation negates a condition, moves
 * a bound by one, or changes a constant. Others remove an await, an argument or a statement. Types
 * and imports stay.
 */
import { parseSync } from 'vite'

/** @typedef {import('./operators.d.mts').Fault} Fault */

const SWAPPED = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&' }
/** Nodes with a type and an expression; the expression is code. */
const AROUND_TYPES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
const NOT_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration'])

/** @returns {Fault[]} in the order of the source */
export function findFaults(path, source) {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const faults = []
  const add = (operator, { start, end }, instead) => {
    const before = source.slice(0, start).split('\n')
    const place = { line: before.length, column: before.at(-1).length + 1 }
    faults.push({ path, operator, start, end, instead, was: source.slice(start, end), ...place })
  }
  walk(program, (node) => plantAt(node, source, add))
  return faults.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** Returns the source with the fault. Throws when the source has changed since it was parsed. */
export function plantFault(source, { path, start, end, was, instead }) {
  if (source.slice(start, end) !== was) throw new Error(`${path} has changed since its faults were found`)
  return source.slice(0, start) + instead + source.slice(end)
}

function plantAt(node, source, add) {
  const textOf = ({ start, end }) => source.slice(start, end)
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return add('condition', node.test, `!(${textOf(node.test)})`)
    case 'LogicalExpression':
      return swap('condition', node, textOf, add)
    case 'BinaryExpression':
      return swap('boundary', node, textOf, add)
    case 'Literal':
      return plantConstant(node, add)
    case 'AwaitExpression':
      return add('await', node, textOf(node.argument))
    case 'CallExpression':
      return dropArgument(node, add)
    case 'ExpressionStatement':
      if (!node.directive && node.expression.callee?.type !== 'Super') add('statement', node, ';')
  }
}

function swap(kind, { left, operator, right }, textOf, add) {
  const other = SWAPPED[operator]
  if (other === undefined) return
  const between = { start: left.end, end: right.start }
  add(kind, between, textOf(between).replace(operator, other))
}

function plantConstant(node, add) {
  const { value, bigint } = node
  if (typeof value === 'boolean') return add('constant', node, String(!value))
  if (typeof value === 'number') return add('constant', node, value === 0 ? '1' : value === 1 ? '0' : String(value * 2))
  if (bigint !== undefined && bigint !== null) {
    const was = BigInt(bigint)
    add('constant', node, `${was === 0n ? 1n : was === 1n ? 0n : was * 2n}n`)
  }
}

function dropArgument({ callee, arguments: given }, add) {
  const last = given.at(-1)
  if (last === undefined || callee.type === 'Super') return
  add('argument', { start: given.at(-2)?.end ?? last.start, end: last.end }, '')
}

/** Child nodes that are code, without the names of members. */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, visit)
    return
  }
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string' || NOT_CODE.has(node.type)) return
  if (AROUND_TYPES.has(node.type)) return walk(node.expression, visit)
  if (node.type.startsWith('TS')) return
  visit(node)
  const isNamed = (node.type === 'Property' || node.type === 'PropertyDefinition') && !node.computed
  for (const [name, child] of Object.entries(node)) if (!(isNamed && name === 'key')) walk(child, visit)
}
