/** The judge of live calls (live-verdict.ts). */
import type { Exchange } from '../http-exchange.ts'
import { describeAnswer, interpretAnswer } from '../wallet/play/answer-meaning.ts'
import type { LiveJudge, LiveJudgeOptions, Verdict } from './live-verdict.ts'
import { createVerdictTally } from './verdict-tally.ts'

export function createLiveJudge(_options: LiveJudgeOptions): LiveJudge {
  const tally = createVerdictTally()
  let calls = 0
  return {
    begin() {
      calls += 1
      return calls
    },
    end(number, exchange) {
      const verdicts = [judgeAnswer(number, exchange)]
      for (const verdict of verdicts) tally.record(verdict)
      return verdicts
    },
    balance: () => [],
    addPlayer() {},
    sum: () => tally.sum(),
  }
}

function judgeAnswer(call: number, exchange: Exchange): Verdict {
  const answer = interpretAnswer(exchange)
  return {
    call,
    kind: answer.kind === 'lost' ? 'undecided' : 'right',
    sentence: `The wallet ${describeAnswer(answer)}`,
  }
}
