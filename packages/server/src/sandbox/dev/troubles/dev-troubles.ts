/**
 * Troubles that a developer sends to the tested wallet with one click, and that simulated bettors
 * cause. Some go through the platform, some are calls that a platform never sends.
 */
import { randomUUID } from 'node:crypto'
import { placeStep, rollbackStep, settleStep } from '@purser/conformance/wallet/case/step-builders'
import { formatMoney, type Money } from '@purser/protocol/values/money'
import { LIMITS } from '@purser/protocol/wire-limits'
import { conflict } from '../../../core/http/api/problem-details.ts'
import type { Trouble, TroubleStage } from './trouble-run.ts'

export const DEV_TROUBLES = {
  'lost answer': {
    title: 'Lose the answer',
    hint: 'The wallet answers the Place bet, and the platform gets no answer.',
    demanded:
      'The platform does not know whether the stake was debited, so it sends a Rollback. The wallet must return the stake, once.',
    play: (stage) => playFault(stage, 'lost answer'),
  },
  twice: {
    title: 'The same call twice at once',
    hint: 'The same Place bet arrives two times at the same moment.',
    demanded: 'The wallet must debit the stake once, and give both calls the same answer.',
    play: (stage) => playFault(stage, 'twice at once'),
  },
  'again later': {
    title: 'Again after a minute',
    hint: 'The Place bets of an open and of a won bet, and the Settle, arrive again a minute later, byte for byte.',
    demanded: 'The wallet must answer the repeats as before. None of them may move money.',
    async play(stage) {
      const [open, won] = [await stage.place(), await stage.place()]
      await stage.result(won, 'home')
      const calls = [open, won].flatMap(({ betId }) => stage.callsOf(betId))
      await new Promise((resolve) => setTimeout(resolve, stage.minuteMs))
      for (const call of calls) await stage.resend(call)
      await stage.cancel(open.betId)
      return [open.betId, won.betId]
    },
  },
  'late answer': {
    title: 'Slow by 6 s',
    hint: 'The answer to the Place bet arrives after the platform’s 5 s.',
    demanded:
      'The platform treats a late answer as none, and sends a Rollback. The wallet must return the stake, once.',
    play: (stage) => playFault(stage, 'late answer'),
  },
  'late call': {
    title: 'Rollback before its bet',
    hint: 'The Place bet is delayed, so its Rollback arrives first.',
    demanded:
      'The wallet must accept the Rollback and remember it. The Place bet that follows must be refused or debit nothing, because the platform never sends a second Rollback.',
    play: (stage) => playFault(stage, 'late call'),
  },
  'rollback after result': {
    title: 'Rollback after the result',
    hint: 'A bet wins and is paid. Then a Rollback of the bet arrives.',
    demanded:
      'The wallet must cancel the whole bet, so that neither stake nor payout remains, or leave the settled bet as it is. It must not return the stake in addition to the payout.',
    async play(stage) {
      const bet = await stage.place()
      await stage.result(bet, 'home')
      await stage.send(rollbackStep({ amount: stage.stake }), bet.betId)
      return [bet.betId]
    },
  },
  'result after rollback': {
    title: 'Result after the Rollback',
    hint: 'A bet is cancelled and its stake returned. Then a late Settle of the bet arrives.',
    demanded: 'The bet no longer exists, so the wallet must not pay it.',
    async play(stage) {
      const bet = await stage.place()
      await stage.cancel(bet.betId)
      await stage.send(settleStep('won', stage.stake), bet.betId)
      return [bet.betId]
    },
  },
  correct: {
    title: 'Corrected result',
    hint: 'A bet wins and is paid. Then the result is corrected to lost.',
    demanded:
      'The wallet must take the payout back and record the new result, or refuse the change with code 20 and keep the payout.',
    async play(stage) {
      const bet = await stage.place()
      await stage.result(bet, 'home')
      await stage.result(bet, 'away')
      return [bet.betId]
    },
  },
  'late old result': {
    title: 'Corrected result, then a late copy of the old one',
    hint: 'A bet wins, the result is corrected to lost, and the first Settle arrives once more.',
    demanded: 'The copy is a repeat of a call that the wallet has answered. It must not pay again.',
    async play(stage) {
      const bet = await stage.place()
      await stage.result(bet, 'home')
      const old = stage.callsOf(bet.betId).find(({ operation }) => operation === 'settle')
      await stage.result(bet, 'away')
      await stage.resend(old)
      return [bet.betId]
    },
  },
  'take back': {
    title: 'Result taken back',
    hint: 'A bet wins and is paid. Then the result is withdrawn with an Unsettle.',
    demanded: 'The wallet must take the payout back, and the bet is open again; or it refuses and keeps the payout.',
    async play(stage) {
      const bet = await stage.place()
      await stage.result(bet, 'home')
      await stage.result(bet, undefined)
      return [bet.betId]
    },
  },
  'two bets': {
    title: 'Two bets of 80 on 100',
    hint: 'Two bets of 80 % of the balance arrive at the same moment.',
    demanded: 'The money is enough for one bet. The wallet must refuse the other one with code 7.',
    play: playTwoBets,
  },
  'dead token': {
    title: 'Dead token',
    hint: 'A Place bet has a token that is no longer valid.',
    demanded: 'The wallet must refuse the bet and debit nothing.',
    play: async (stage) => [await stage.sendAndUndo(placeStep({ amount: stage.stake, token: 'dead' }))],
  },
  'other currency': {
    title: 'Other currency',
    hint: 'A Place bet has a currency that is not the player’s.',
    demanded: 'The wallet must not debit the stake from the account of the player’s own currency.',
    play: async (stage) => {
      const currency = stage.player.currency === 'EUR' ? 'USD' : 'EUR'
      return [await stage.sendAndUndo(placeStep({ amount: stage.stake, members: { currency } }))]
    },
  },
  'bad signature': {
    title: 'Bad signature',
    hint: 'A Place bet is signed with another secret.',
    demanded: 'The wallet must refuse the call before it reads the body, and debit nothing.',
    play: async (stage) => [await stage.sendAndUndo(placeStep({ amount: stage.stake, signature: 'wrong secret' }))],
  },
  'decimal point': {
    title: 'Amount 10.0',
    hint: 'Two Place bets have their amounts written as 10.0 and 10.00, and the signatures cover these bytes.',
    demanded: 'The wallet must verify the signature over the received bytes, and debit 10 each time.',
    play: async (stage) => [
      await stage.sendAndUndo(placeStep({ amount: withPoint(stage.stake) })),
      await stage.sendAndUndo(placeStep({ amount: `${withPoint(stage.stake)}0` })),
    ],
  },
  'finer amount': {
    title: 'Every decimal, and one more',
    hint: 'A bet and its payout use every decimal of the currency, as in 1.005 KWD. A second stake has one decimal more.',
    demanded:
      'The wallet must keep every decimal of the currency. It should refuse the second stake with code 5, because no fraction may reach a balance.',
    play: playFinerAmounts,
  },
  '15 digits': {
    title: 'A payout of 15 digits',
    hint: 'A bet wins an amount of 15 digits, and the result is corrected to lost. Use a test player.',
    demanded: 'The wallet must add and subtract the amount exactly, to the last digit.',
    play: playFifteenDigits,
  },
} as const satisfies Record<string, Trouble>

export type DevTroubleName = keyof typeof DEV_TROUBLES

/** Like `late call`, but without the 5 s of the platform, so that bettors can play it often. */
export const QUICK_LATE_CALL: Pick<Trouble, 'play'> = {
  async play(stage) {
    const betId = randomUUID()
    await stage.send(rollbackStep({ amount: stage.stake }), betId)
    await stage.send(placeStep({ amount: stage.stake }), betId)
    return [betId]
  },
}

async function playFault(stage: TroubleStage, fault: Parameters<TroubleStage['inject']>[0]): Promise<string[]> {
  stage.inject(fault)
  const { betId } = await stage.place()
  return [betId]
}

/** Percentage of the balance. */
const LARGE_SHARE = 80n

/** The accepted bet is cancelled, so that the player keeps the money. */
async function playTwoBets(stage: TroubleStage): Promise<readonly string[]> {
  const { player } = stage
  const { balance, scale } = player
  if (balance === undefined || balance <= 1n)
    throw conflict('balance_unknown', 'this needs /user/balance and a balance: nothing was tried')
  const betIds = await stage.placeBoth(formatMoney(((balance * LARGE_SHARE) / 100n) as Money, scale))
  for (const betId of betIds) await stage.cancel(betId)
  return betIds
}

/** "10.00" becomes "10.0", and "10" too. */
function withPoint(stake: string): string {
  return /^\d+(\.0*)?$/.test(stake) ? stake.replace(/(\.0*)?$/, '.0') : `${stake}0`
}

/** The stake of 1.005 wins 2.007, where the currency has three decimals. */
async function playFinerAmounts(stage: TroubleStage): Promise<readonly string[]> {
  const betId = randomUUID()
  const { scale } = stage.player
  const unit = 10n ** BigInt(scale)
  const [stake, payout] = [unit + 5n, 2n * unit + 7n].map((units) => formatMoney(units as Money, scale))
  await stage.send(placeStep({ amount: stake ?? '' }), betId)
  await stage.send(settleStep('won', payout ?? ''), betId)
  return [betId, await stage.sendAndUndo(placeStep({ amount: { finer: '1' } }))]
}

/** The platform knows nothing of this bet, so it cannot correct the payout by itself. */
async function playFifteenDigits(stage: TroubleStage): Promise<readonly string[]> {
  const { betId } = await stage.place()
  const digits = '123456789012345'.slice(0, LIMITS.amountDigits)
  const amount = formatMoney(BigInt(digits) as Money, stage.player.scale)
  await stage.send(settleStep('won', amount), betId)
  await stage.send(settleStep('lost', '0'), betId)
  return [betId]
}
