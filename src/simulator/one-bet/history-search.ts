/**
 * Every history of one bet, up to a length. Histories that have come to the same situation go on as one, with their number: so
 * millions of histories cost some thousand steps. Shorter ones come first, so that what is found is as short as it can be.
 */
import type { Rules } from '../../server/wallet/rules/decision.ts'
import { fingerprintPosition, type HistoryPosition } from './history-fingerprint.ts'
import { applyAction, type OneBetJudge, START_POSITION, type StepResult } from './history-step.ts'
import { BET_ACTIONS, type BetAction } from './one-bet-actions.ts'
import { answerCall, ONE_BET_RULES } from './one-bet-model.ts'

export interface SearchFinding {
  readonly history: readonly BetAction[]
  readonly complaint: string
}

export interface HistorySearchResult {
  /** Each of them judged to its end. */
  readonly histories: number
  /** Judged for all the histories that had come to the same situation. */
  readonly steps: number
  readonly situations: number
  readonly found: SearchFinding | undefined
  /** How many histories end with each answer, so that a search that never met one is noticed. */
  readonly met: ReadonlyMap<string, number>
}

export interface SearchOptions {
  readonly length: number
  readonly clawback: Rules['clawback']
  /** Only histories that begin so; their length is counted from the beginning. */
  readonly after?: readonly BetAction[]
  /** Stands for the rules of the wallet; a planted fault in a test. */
  readonly tell?: typeof answerCall
  /** Tells situations apart; in a test, whether they are told apart rightly. */
  readonly fingerprint?: (position: HistoryPosition) => string
}

interface SearchNode {
  readonly position: HistoryPosition
  /** How many histories lead here. */
  ways: number
  /** The first of them. */
  readonly edge: SearchEdge | undefined
}

interface SearchEdge {
  readonly from: SearchNode
  readonly action: BetAction
}

interface SearchCount {
  histories: number
  steps: number
  situations: number
  readonly met: Map<string, number>
}

export function createJudge({
  clawback,
  tell: answer = answerCall,
}: Pick<SearchOptions, 'clawback' | 'tell'>): OneBetJudge {
  return { rules: { ...ONE_BET_RULES, clawback }, answerCall: answer }
}

export function searchHistories(options: SearchOptions): HistorySearchResult {
  const { length, fingerprint = fingerprintPosition, after = [] } = options
  const judge = createJudge(options)
  const count: SearchCount = { histories: 0, steps: 0, situations: 1, met: new Map() }
  let layer: Iterable<SearchNode> = [createStartNode(after, options)]
  for (let moment = after.length + 1; moment <= length; moment++) {
    const next = new Map<string, SearchNode>()
    for (const from of layer) {
      const complaint = expandNode(judge, from, moment, count, (position, action) => {
        if (moment < length) mergeNode(next, fingerprint(position), position, { from, action })
      })
      if (complaint !== undefined) return { ...count, found: complaint }
    }
    count.situations += next.size
    layer = next.values()
  }
  return { ...count, found: undefined }
}

function createStartNode(after: readonly BetAction[], options: SearchOptions): SearchNode {
  const { steps } = replayHistory(after, options)
  return after.reduce<SearchNode>(
    (from, action, i) => ({ position: steps[i]?.position ?? from.position, ways: 1, edge: { from, action } }),
    { position: START_POSITION, ways: 1, edge: undefined },
  )
}

/** Every letter from here. */
function expandNode(
  judge: OneBetJudge,
  from: SearchNode,
  moment: number,
  count: SearchCount,
  goOn: (position: HistoryPosition, action: BetAction) => void,
): SearchFinding | undefined {
  for (const action of BET_ACTIONS) {
    const stepped = applyAction(judge, from.position, action, moment)
    if (stepped === undefined) continue
    count.steps++
    count.histories += from.ways
    countAnswer(count, stepped, from.ways)
    if (stepped.complaint !== undefined) return { history: [...historyOf(from), action], complaint: stepped.complaint }
    goOn(stepped.position, action)
  }
  return undefined
}

/** Without the moment. */
function countAnswer({ met }: SearchCount, { answer }: StepResult, ways: number): void {
  const [word] = answer?.split(' ') ?? []
  if (word !== undefined) met.set(word, (met.get(word) ?? 0) + ways)
}

function mergeNode(layer: Map<string, SearchNode>, key: string, position: HistoryPosition, edge: SearchEdge): void {
  const same = layer.get(key)
  if (same === undefined) layer.set(key, { position, ways: edge.from.ways, edge })
  else same.ways += edge.from.ways
}

function historyOf({ edge }: SearchNode): BetAction[] {
  return edge === undefined ? [] : [...historyOf(edge.from), edge.action]
}

/** One history, as far as it goes: one line per step, and what is wrong with the last one. */
export function replayHistory(
  history: readonly BetAction[],
  options: Pick<SearchOptions, 'clawback' | 'tell'>,
): { readonly steps: readonly StepResult[]; readonly complaint: string | undefined } {
  const judge = createJudge(options)
  const steps: StepResult[] = []
  let position = START_POSITION
  for (const [i, action] of history.entries()) {
    const stepped = applyAction(judge, position, action, i + 1)
    if (stepped === undefined)
      return { steps, complaint: 'there is nothing to send again, or to take away, at that step' }
    steps.push(stepped)
    if (stepped.complaint !== undefined) return { steps, complaint: stepped.complaint }
    position = stepped.position
  }
  return { steps, complaint: undefined }
}
