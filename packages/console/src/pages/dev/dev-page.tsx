/**
 * Page of `purser dev`: a betting frame with the developer's own player, every call to the wallet,
 * and a verdict on each call. It needs no sign-in, and uses the routes below /sandbox/frame only.
 */
import { useState } from 'react'
import { ApiProblem } from '../../app/console-api.ts'
import { useFrameState } from '../../shared/betting-frame/frame-actions.ts'
import { capital } from '../../shared/charts/format.tsx'
import { EmptyState, QueryResult } from '../../shared/controls/page-states.tsx'
import { CallFeed } from './call-feed.tsx'
import { DevHead } from './dev-head.tsx'
import type { DevState } from './dev-state.ts'
import { PlayerFrame } from './player-frame.tsx'
import { TroubleList } from './trouble-list.tsx'
import './dev.css'

export function DevPage() {
  const [player, setPlayer] = useState<string>()
  const result = useFrameState<DevState>(player)
  const { error } = result
  if (result.data === undefined && error instanceof ApiProblem && error.status !== 403)
    return (
      <main className="dev">
        {error.status === 503 ? (
          <EmptyState title="No player yet.">
            <p>{capital(error.message)}</p>
            <p>The page continues by itself as soon as your wallet answers the first call for a player.</p>
          </EmptyState>
        ) : (
          <EmptyState title="Page not found.">
            <p>
              The command <code>purser dev</code> serves this page for a wallet of your own.
            </p>
          </EmptyState>
        )}
      </main>
    )
  return (
    <main className="dev">
      <QueryResult of={result}>{(state) => <Dev state={state} choosePlayer={setPlayer} />}</QueryResult>
    </main>
  )
}

const PANES = [
  ['bets', 'Place bets'],
  ['trouble', 'Make trouble'],
] as const

/** On a wide screen both panes are visible. */
function Dev({ state, choosePlayer }: { state: DevState; choosePlayer(player: string): void }) {
  const [pane, setPane] = useState<(typeof PANES)[number][0]>('bets')
  return (
    <>
      <DevHead state={state} />
      <div className="dev-columns">
        <div className="dev-left" data-pane={pane}>
          <fieldset className="switch dev-panes" aria-label="Left column">
            {PANES.map(([name, title]) => (
              <button key={name} type="button" aria-pressed={pane === name} onClick={() => setPane(name)}>
                {title}
              </button>
            ))}
          </fieldset>
          <PlayerFrame state={state} choosePlayer={choosePlayer} />
          <TroubleList state={state} />
        </div>
        <CallFeed isWalletUp={state.wallet.isUp} hasPlayers={state.players.length > 1} causes={state.verdicts.causes} />
      </div>
    </>
  )
}
