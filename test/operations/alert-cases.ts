/**
 * Time series for the tests of the alert rules, in the notation of promtool: `5x3` is four values
 * of 5, `_` a missing value. The `quiet` series are healthy servers: idle, just started, restarted
 * or busy.
 */

/** Series name → values. */
export type Series = Readonly<Record<string, string>>

export interface AlertCase {
  readonly fires: readonly Series[]
  readonly quiet: readonly Series[]
  /** Number of steps; 60 when absent. */
  readonly steps?: number
  /** Minutes per step; 1 when absent. */
  readonly minutes?: number
}

const gauge = (series: string, bad: string, ...good: string[]): AlertCase => ({
  fires: [{ [series]: bad }],
  quiet: good.map((values) => ({ [series]: values })),
})

/** An alert on the first increase. The counter starts at 0, and a restart resets it. */
const firstIncrease = (series: string, ...others: Series[]): AlertCase => ({
  fires: [{ [series]: '0x5 1x60' }, { [series]: '3x20 0x20 1x20' }],
  quiet: [{ [series]: '0x60' }, { [series]: '3x20 0x60' }, ...others],
})

const latency = (upToSecond: string, all: string): Series => ({
  'wallet_call_duration_seconds_bucket{operation="place",le="1"}': upToSecond,
  'wallet_call_duration_seconds_bucket{operation="place",le="4"}': all,
  'wallet_call_duration_seconds_bucket{operation="place",le="+Inf"}': all,
})

const AUDIT = 'purser_last_audit_timestamp_seconds{job="purser-wallet"}'
const FIRST_OPEN_DAY = 'wallet_first_open_day_timestamp_seconds{job="purser-wallet"}'
const PLATFORM_UP = 'up{job="purser-platform",instance="p"}'
const OWED = 'platform_bets_owed{job="purser-platform",instance="p"}'
const ANSWERED = 'gateway_calls_total{operator="one",outcome="answered_200"}'
const TIMED_OUT = 'gateway_calls_total{operator="one",outcome="time_out"}'

const LOSES_ONCE = '0x5 2x60'

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  PurserDown: gauge('up{job="purser-wallet"}', '1x5 0x60', '1x60', '1x5 0 1x60'),
  PurserNotReady: gauge('purser_ready', '0x60', '1x60', '1x5 0x1 1x60', '0x1 1x60'),
  PurserCallsShed: firstIncrease('purser_calls_shed_total'),
  PurserApiFails: {
    fires: [{ 'purser_api_calls_total{route="GET /operator/bets",status="503"}': '0+1x60' }],
    quiet: [
      { 'purser_api_calls_total{route="GET /operator/bets",status="200"}': '0+100x60' },
      { 'purser_api_calls_total{route="GET /operator/bets",status="503"}': '0x5 3x60' },
    ],
  },
  PurserKeysGuessed: {
    fires: [{ 'purser_auth_failures_total{reason="unknown"}': '0+10x60' }],
    quiet: [
      { 'purser_auth_failures_total{reason="unknown"}': '0+1x60' },
      { 'purser_auth_failures_total{reason="missing"}': '0+100x60' },
    ],
  },
  PurserConnectionsShort: gauge(
    'purser_database_connections_waiting{pool="people"}',
    '3x60',
    '0x60',
    '1 0x60',
    '0 1 0 5 2 0 1 0x60',
  ),
  PurserEventLoopSlow: gauge('nodejs_eventloop_lag_p99_seconds{job="purser-wallet"}', '0.8x60', '0.02x60', '2 0.02x60'),
  PurserAuditFindings: gauge('purser_last_audit_findings', '0x5 2x60', '0x60'),
  PurserAuditOverdue: {
    ...{ steps: 40 * 6, minutes: 10 },
    fires: [{ [AUDIT]: '60x240' }, { [AUDIT]: '0x240' }],
    quiet: [
      { [AUDIT]: '60x144 86460x144' },
      { [AUDIT]: '0x144 86460x144' },
      { [AUDIT]: '_x228 0x12' },
      { [AUDIT]: '60x144 _x2 86460x144' },
    ],
  },
  PurserFeedStalls: gauge('purser_feed_lag_seconds', '100x60', '0x60', '40 0x60', '1x60'),
  PurserNumbersOld: gauge('purser_database_metrics_age_seconds{about="feed"}', '0+60x60', '0x60', '5x60', '0 150 0x60'),
  WalletFails: firstIncrease('wallet_calls_total{operation="place",outcome="system_error"}', {
    'wallet_calls_total{operation="place",outcome="insufficient_funds"}': '0+100x60',
  }),
  WalletBadSignatures: {
    fires: [{ 'wallet_calls_total{operation="unknown",outcome="bad_signature"}': '0+5x60' }],
    quiet: [{ 'wallet_calls_total{operation="unknown",outcome="bad_signature"}': '0+1x60' }],
  },
  WalletSlow: {
    fires: [latency('0x60', '0+10x60')],
    quiet: [
      latency('0x60', '0x60'),
      latency('0+10000x60', '0+10000x60'),
      latency('90000x5 0+10x60', '90000x5 0+10x60'),
    ],
  },
  WalletQueueLong: gauge('wallet_queue_depth', '2000x60', '0x60', '800x60', '0 1500 0x60'),
  WalletPayoutAboveOdds: firstIncrease('wallet_anomalies_total{anomaly="payout_above_odds"}'),
  WalletAnomalies: firstIncrease('wallet_anomalies_total{anomaly="settle_of_unknown_bet"}', {
    'wallet_anomalies_total{anomaly="payout_above_odds"}': '0x5 1x60',
  }),
  WalletJournalLoses: gauge('wallet_journal_dropped_calls', '0+1x60', '0x60', LOSES_ONCE),
  WalletDayNotKept: {
    ...{ steps: 31 * 6, minutes: 10 },
    fires: [{ [FIRST_OPEN_DAY]: '0x186' }],
    quiet: [{ [FIRST_OPEN_DAY]: '0x151 86400x35' }],
  },
  WalletWebhookBehind: gauge('wallet_webhook_lag_seconds{webhook="crm"}', '600x60', '0x60', '20x60', '400x2 0x60'),
  WalletWebhookDisabled: {
    fires: [{ 'wallet_webhooks{state="disabled"}': '0x5 1x60' }, { 'wallet_webhooks{state="warned"}': '1x60' }],
    quiet: [{ 'wallet_webhooks{state="ok"}': '3x60', 'wallet_webhooks{state="disabled"}': '0x60' }],
  },
  PlatformPartnerDown: gauge('platform_partners_down', '1x60', '0x60', '0 1x1 0x60'),
  PlatformBehind: gauge('platform_oldest_pending_seconds', '600x60', '0x60', '400x4 0x60'),
  PlatformStuck: gauge('platform_deliveries_stuck', '1x60', '0x60'),
  PlatformOwes: gauge('platform_bets_owed', '1x60', '0x60', '1x10 0x60'),
  PlatformOwesMoney: {
    ...gauge('platform_owed_amount{currency="EUR"}', '2.5x180', '0x180', '2.5x50 0x130'),
    steps: 3 * 60,
  },
  PlatformOwedUnknown: {
    fires: [{ [PLATFORM_UP]: '1x60' }],
    quiet: [
      { [PLATFORM_UP]: '1x60', [OWED]: '0x60' },
      { [PLATFORM_UP]: '1x60', [OWED]: '_x2 0x60' },
      { [PLATFORM_UP]: '0x60' },
    ],
  },
  PlatformRefused: gauge('platform_deliveries_refused', '0x5 1x60', '0x60', '3x60', '_x5 3x60'),
  PlatformSignatureRefused: firstIncrease('platform_signatures_refused_total'),
  PlatformUnrecorded: firstIncrease('platform_answers_unrecorded_total'),
  PlatformResultsWait: gauge('platform_oldest_pending_results_seconds', '600x60', '0x60', '20x60'),
  GatewayOperatorFails: {
    fires: [{ [ANSWERED]: '0+10x60', [TIMED_OUT]: '0+10x60' }],
    quiet: [
      { [ANSWERED]: '0+1000x60', [TIMED_OUT]: '0x60' },
      { [ANSWERED]: '0x60', [TIMED_OUT]: '0x5 1x60' },
      { [ANSWERED]: '0+1000x60', [TIMED_OUT]: '0+2x60' },
    ],
  },
  GatewayRefused: firstIncrease('gateway_calls_total{operator="one",outcome="gateway_refused"}'),
  GatewayOperatorFull: gauge('gateway_calls_in_flight{operator="one"}', '300x60', '0x60', '100x60', '0 300 0x60'),
  GatewayPlayerMixedUp: firstIncrease('gateway_calls_total{operator="one",outcome="wrong_player"}'),
  GatewayJournalLoses: gauge('gateway_journal_dropped_calls', '0+1x60', '0x60', LOSES_ONCE),
}
