/** What a lane remembers of accounts saves it a look at the database; wrong, it must never count. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import type { Account } from '../../src/ledger/account.ts'
import { openBook } from '../../src/ledger/book.ts'
import { moveCash } from '../../src/operator/cash.ts'
import type { OperatorDeps } from '../../src/operator/operator.ts'
import { patchPlayer } from '../../src/operator/players.ts'
import type { Currency, PlayerId } from '../../src/protocol/ids.ts'
import type { Money } from '../../src/protocol/money.ts'
import { type AccountMemory, createAccountMemory } from '../../src/wallet/apply/account-memory.ts'
import { endSessions } from '../../src/wallet/store/session.ts'
import { signal } from '../support/signal.ts'
import {
  type BatchScene,
  elsewhere,
  findingsOf,
  openScene,
  place,
  SOMEBODY,
  seat,
  seatForDays,
  settle,
  somebodyWaits,
} from './batch-scene.ts'

const PLAYER = 'ann' as PlayerId

function account(version: bigint, cents = 1_000n, player = PLAYER): Account {
  return {
    player,
    currency: 'EUR' as Currency,
    balance: cents as Money,
    version,
    day: '2031-05-16',
    openingVersion: 0n,
  }
}

describe('the memory of a lane', () => {
  const here = {}
  const versions = (player = PLAYER) => new Map([[player, 3n]])
  const bookOf = (one: Account) => openBook([one])

  function remember(memory: AccountMemory, version: bigint, player = PLAYER): void {
    memory.enter(here, versions(player), bookOf(account(version, 1_000n, player)))()
  }

  test('gives back what the last batch left', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    remember(memory, 8n)
    expect(memory.recall(here, PLAYER, 3n)).toEqual([account(8n)])
  })

  test('gives back nothing of a batch that is not committed, nor of what it replaces', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    const committed = memory.enter(here, versions(), bookOf(account(8n)))
    expect(memory.recall(here, PLAYER, 3n)).toBeUndefined()
    committed()
    expect(memory.recall(here, PLAYER, 3n)).toEqual([account(8n)])
  })

  test('gives back nothing of a batch that is committed while the next one is at work', () => {
    const memory = createAccountMemory()
    const first = memory.enter(here, versions(), bookOf(account(7n)))
    memory.enter(here, versions(), bookOf(account(8n)))
    first()
    expect(memory.recall(here, PLAYER, 3n)).toBeUndefined()
  })

  test('knows nothing of a player that has changed since', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    expect(memory.recall(here, PLAYER, 4n)).toBeUndefined()
  })

  test('forgets everything with the connection, also when that one comes back', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    expect(memory.recall({}, PLAYER, 3n)).toBeUndefined()
    expect(memory.recall(here, PLAYER, 3n)).toBeUndefined()
  })

  test('forgets a player', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    memory.forget(PLAYER)
    expect(memory.recall(here, PLAYER, 3n)).toBeUndefined()
  })

  test('gives back nothing for a while after it was wrong', () => {
    const memory = createAccountMemory()
    remember(memory, 7n)
    memory.distrust()
    expect(memory.recall(here, PLAYER, 3n)).toBeUndefined()
  })

  test('keeps so many players, and those of the last batches', () => {
    const memory = createAccountMemory(2)
    for (const name of ['ann', 'bob', 'ann', 'cleo'] as PlayerId[]) remember(memory, 7n, name)
    const known = ['ann', 'bob', 'cleo'].filter((name) => memory.recall(here, name as PlayerId, 3n))
    expect(known).toEqual(['ann', 'cleo'])
  })
})

describe('a batch that is judged by it', () => {
  let scene: BatchScene
  let number = 0

  beforeAll(async () => {
    scene = await openScene()
  })
  beforeEach(async () => {
    number += 1
    scene.memory = createAccountMemory()
    await seat(scene, player(), '100.00')
    await scene.apply(place(player(), bet(0), 10))
    scene.statements.length = 0
    scene.transactions = 0
  })
  afterAll(async () => {
    expect(await findingsOf(scene)).toEqual([])
    await scene.close()
  })

  const player = () => `player-${number}`
  const bet = (n: number) => `bet-${number}-${n}`
  const balance = async () => {
    const [row] = await scene.read(`select balance, version from purser.account where player = '${player()}'`)
    return row
  }
  const accepted = expect.objectContaining({ kind: 'accepted' })
  const refused = (code: string) => expect.objectContaining({ kind: 'refused', code })

  test('reads nothing', async () => {
    expect(await scene.apply(place(player(), bet(1), 10), place(player(), bet(2), 20))).toEqual([accepted, accepted])
    expect(scene.statements).toEqual(['place_bets'])
    expect(await balance()).toEqual({ balance: '6000', version: '4' })
  })

  test('reads when a call is about a bet that may be stored', async () => {
    await scene.apply(place(player(), bet(1), 10), settle(player(), bet(0), 'won', 30))
    expect(scene.statements).toContain('read_accounts')
    expect(await balance()).toEqual({ balance: '11000', version: '5' })
  })

  test('reads when a player has limits', async () => {
    await patchPlayer(elsewhere(scene), SOMEBODY, player(), { limits: { stake: '15.00' } })
    await scene.apply(settle(player(), bet(0), 'lost', 0)) // reads the player
    await scene.apply(place(player(), bet(1), 5)) // and the token; from now on both are known
    expect(await scene.apply(place(player(), bet(2), 5))).toEqual([refused('stake_limit')])
    expect(scene.transactions).toBe(3) // nothing was recalled that had changed
  })

  test('reads before it refuses: a refusal writes nothing that would fail if it were wrong', async () => {
    expect(await scene.apply(place(player(), bet(1), 80), place(player(), bet(2), 20))).toEqual([
      accepted,
      refused('not_enough_money'),
    ])
    expect(scene.statements).toContain('read_accounts')
    expect(scene.transactions).toBe(1)
  })

  test('is judged again on money that came in elsewhere', async () => {
    await moveCash(elsewhere(scene), SOMEBODY, player(), 'deposit', {
      currency: 'EUR',
      amount: '50.00',
      reference: 'more',
    })
    expect(await scene.apply(place(player(), bet(1), 120))).toEqual([accepted])
    expect(await balance()).toEqual({ balance: '2000', version: '4' })
  })

  test('is judged again on money that went elsewhere', async () => {
    await moveCash(elsewhere(scene), SOMEBODY, player(), 'withdrawal', {
      currency: 'EUR',
      amount: '60.00',
      reference: 'out',
    })
    expect(await scene.apply(place(player(), bet(1), 50))).toEqual([refused('not_enough_money')])
    expect(await balance()).toEqual({ balance: '3000', version: '3' })
  })

  test('is not wrong about money that came in through the operator API of this process', async () => {
    const here = { ...elsewhere(scene), forget: (id: PlayerId) => scene.memory.forget(id) }
    await moveCash(here, SOMEBODY, player(), 'deposit', { currency: 'EUR', amount: '50.00', reference: 'more' })
    expect(await scene.apply(place(player(), bet(1), 20))).toEqual([accepted])
    expect(scene.transactions).toBe(1)
  })

  test('is judged again on a player who was blocked elsewhere', async () => {
    await patchPlayer(elsewhere(scene), SOMEBODY, player(), { status: 'blocked' })
    expect(await scene.apply(place(player(), bet(1), 10))).toEqual([refused('player_blocked')])
    expect(await balance()).toEqual({ balance: '9000', version: '2' })
  })

  test('is judged again when what it remembers was never committed', async () => {
    const recall = () => [{ ...account(3n, 20_000n), player: player() as PlayerId }]
    scene.memory = { ...scene.memory, recall }
    expect(await scene.apply(place(player(), bet(1), 150))).toEqual([refused('not_enough_money')])
    expect(await scene.apply(place(player(), bet(2), 50))).toEqual([accepted])
    expect(await balance()).toEqual({ balance: '4000', version: '3' })
  })

  test('is not judged by one that is not committed yet', async () => {
    const first = scene.apply(place(player(), bet(1), 60), place(player(), bet(0), 10)) // bet 0 is stored: all is read
    const second = scene.apply(place(player(), bet(2), 20))
    expect([await first, await second]).toEqual([[accepted, accepted], [accepted]])
    expect(scene.statements[0]).toBe('place_bets')
    expect(scene.statements.slice(1, 3)).toEqual(['lock_versions', 'read_accounts'])
    expect(await balance()).toEqual({ balance: '1000', version: '4' })
  })

  // A version that a batch in front has not committed may be taken by another, for another balance.
  test.each([
    ['in time', () => somebodyWaits(scene)],
    ['too late for the batch in front', ([front]) => Promise.allSettled([front])],
  ] as [string, (outcomes: Promise<unknown>[]) => Promise<unknown>][])(
    'two batches behind each other meet money that comes in elsewhere, %s',
    async (_, moment) => {
      const deposit = await slowDeposit()
      const outcomes = [scene.apply(place(player(), bet(1), 60)), scene.apply(place(player(), bet(2), 20))]
      await moment(outcomes)
      deposit.commit()
      const settled = await Promise.allSettled(outcomes)
      await deposit.ended
      const bets = settled.filter(({ status }) => status === 'fulfilled').length
      expect(settled.every((one) => one.status === 'rejected' || one.value[0]?.kind === 'accepted')).toBe(true)
      const staked = await scene.read(
        `select sum(amount) as sum from purser.transfer where player = '${player()}' and kind = 'stake'`,
      )
      expect(await balance()).toEqual({ balance: `${110_000 - Number(staked[0]?.sum)}`, version: `${4 + bets}` })
    },
  )

  test('waits for a player who is being blocked elsewhere', async () => {
    const blocking = await slowly((deps) => patchPlayer(deps, SOMEBODY, player(), { status: 'blocked' }))
    const placing = scene.apply(place(player(), bet(1), 10))
    await somebodyWaits(scene)
    blocking.commit()
    expect(await placing).toEqual([refused('player_blocked')])
    await blocking.ended
    expect(scene.statements.slice(-4)).not.toContain('place_bets')
    expect(await balance()).toEqual({ balance: '8900', version: '3' })
  })

  function slowDeposit() {
    const body = { currency: 'EUR', amount: '1000.00', reference: 'slow' }
    return slowly((deps) => moveCash(deps, SOMEBODY, player(), 'deposit', body))
  }

  /** Does it elsewhere, and commits when it is told to. Resolves when it is done. */
  async function slowly(act: (deps: OperatorDeps) => Promise<unknown>) {
    const [isDone, mayCommit] = [signal(), signal()]
    const transaction: Db['transaction'] = (work) =>
      scene.db.transaction(async (tx) => {
        await scene.apply(place(player(), bet(9), 1)) // the lane remembers on another connection than this one
        const result = await work(tx)
        isDone.give()
        await mayCommit.given
        return result
      })
    const ended = act({ ...elsewhere(scene), db: { ...scene.db, transaction } })
    await isDone.given
    return { commit: mayCommit.give, ended }
  }

  test('does not let in a token that was ended elsewhere, when the player was read again and the token was not', async () => {
    await patchPlayer(elsewhere(scene), SOMEBODY, player(), { customFields: {} })
    await endSessionsElsewhere()
    await scene.apply(settle(player(), bet(0), 'won', 30))
    expect(await scene.apply(place(player(), bet(1), 10))).toEqual([refused('expired_token')])
  })

  function endSessionsElsewhere(): Promise<number> {
    return scene.db.transaction((tx) => endSessions(tx, 0, player() as PlayerId, scene.now))
  }

  test('of a new day begins it', async () => {
    const token = await seatForDays(scene, player())
    await scene.apply(place(player(), bet(1), 10, { token }))
    scene.statements.length = 0
    scene.now = new Date('2031-05-17T00:00:00.000Z')
    await scene.apply(place(player(), bet(2), 10, { token }))
    expect(scene.statements).not.toContain('read_accounts')
    const [row] = await scene.read(`select version, opening_version from purser.account where player = '${player()}'`)
    expect(row).toEqual({ version: '4', opening_version: '3' })

    scene.now = new Date('2031-05-16T23:59:59.000Z') // the clock of a process that is behind
    await scene.apply(place(player(), bet(3), 10, { token }))
    const [bet3] = await scene.read(`select b.placed_at, t.at from purser.bet b join purser.transfer t using (bet_id)
      where b.bet_id = '${bet(3)}'`)
    expect(bet3).toEqual({ placed_at: scene.now, at: new Date('2031-05-17T00:00:00.000Z') })
  })
})
