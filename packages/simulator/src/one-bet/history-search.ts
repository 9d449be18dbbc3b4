/**
 * Plays every history of calls about one bet up to a length, short histories first, and checks each
 * step.
 *
 * Histories that reach the same situation continue as one, and the search keeps their number. So
 * millions of histories cost a few thousand steps, and each finding is as short as possible.
 */
import type { Rules } from 'purser/wallet/rules/decision'
import { fingerprintPosition, type HistoryPosition } from './history-fingerprint.ts'
import { applyAction, type OneBetJudge, START_POSITION, type StepResult } from './history-step.ts'
import { BET_ACTIONS, type BetAction } from './one-bet-actions.ts'
import { answerCall, ONE_BET_RULES } from './one-bet-model.ts'

export interface SearchFinding {
  readonly history: readonly BetAction[]
  readonly complaint: string
}

export interface HistorySearchResult {
  readonly histories: number
  /** One step serves all histories of its situation. */
  readonly steps: number
  readonly situations: number
  readonly found: SearchFinding | undefined
  /** Histories by their last answer, so that a missing answer is noticed. */
  readonly met: ReadonlyMap<string, number>
}

export interface SearchOptions {
  readonly length: number
  readonly clawback: Rules['clawback']
  /** The beginning of every history, which counts for the length. */
  readonly after?: readonly BetAction[]
  /** Replaces the wallet's rules; for a planted fault. */
  readonly answerCall?: typeof answerCall
  /** Replaces the fingerprint, in a test. */
  readonly fingerprint?: (position: HistoryPosition) => string
}

interface SearchNode {
  readonly position: HistoryPosition
  /** The number of histories that lead here. */
  ways: number
  /** The last step of the first history. */
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
  answerCall: answer = answerCall,
}: Pick<SearchOptions, 'clawback' | 'answerCall'>): OneBetJudge {
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

/** Counts the answer without its moment. */
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

/** Plays one history up to its first complaint, which concerns the last step. */
export function replayHistory(
  history: readonly BetAction[],
  options: Pick<SearchOptions, 'clawback' | 'answerCall'>,
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
