/** Betting frame of `purser dev` with a player of the developer's wallet. */
import { BetSlip, MatchList } from '../../shared/betting-frame/betting-frame.tsx'
import { useFrameBets } from '../../shared/betting-frame/frame-actions.ts'
import { FrameBetList } from '../../shared/betting-frame/frame-bet-list.tsx'
import { moneyText } from '../../shared/charts/format.tsx'
import type { DevState } from './dev-state.ts'

interface PlayerFrameProps {
  readonly state: DevState
  choosePlayer(player: string): void
}

export function PlayerFrame({ state, choosePlayer }: PlayerFrameProps) {
  const { player, players, balance, currency } = state
  const { pick, setPick, place, end } = useFrameBets(player)
  return (
    <section className="card frame-card dev-frame" aria-label="Betting frame">
      <header>
        <h2 className="vh">Betting frame</h2>
        <span className="purse-line">
          {players.length > 1 ? (
            <label className="dev-player">
              <span className="vh">Player</span>
              <select value={player} onChange={({ target }) => choosePlayer(target.value)}>
                {players.map(({ userId, currency: own }) => (
                  <option key={userId} value={userId}>
                    {userId} ({own})
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <span className="muted small dev-player-name" data-hint={player}>
              Player {player}
            </span>
          )}
          <span className="purse">
            {balance === null ? (
              <span className="muted small" data-hint="Your wallet has no /user/balance.">
                Balance unknown ({currency})
              </span>
            ) : (
              <strong>{moneyText(balance, currency)}</strong>
            )}
          </span>
        </span>
      </header>
      <MatchList matches={state.matches} pick={pick} onPick={setPick} />
      <BetSlip
        state={state}
        pick={pick}
        isBusy={place.isPending}
        fault={place.error}
        placed={place.data}
        place={(stake, isFree) => place.mutate({ stake, isFree })}
      />
      <FrameBetList
        bets={state.bets}
        isBusy={end.isPending}
        fault={end.error}
        hint="Your bets appear here. Select odds, and place a bet."
        end={(betId, what) => end.mutate({ betId, what })}
      />
    </section>
  )
}
