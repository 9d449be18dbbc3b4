/**
 * Contains the hand-written part of packages/server/openapi/wallet.json: introduction, security,
 * tags, and the named schemas.
 */

import * as requests from '@purser/protocol/bet-request'
import { SIGNATURE_HEADER } from '@purser/protocol/signature'
import * as users from '@purser/protocol/user-profile'
import * as replies from '@purser/protocol/wire-reply'
import * as apiKeys from 'purser/core/auth/api-key-routes'
import * as actions from 'purser/core/auth/audit-log/audit-log-list'
import { ProblemSchema } from 'purser/core/http/api/route-description'
import { AuditSchema } from 'purser/wallet/operator-api/audit/wallet-audit'
import * as anomalies from 'purser/wallet/operator-api/bets/anomaly-list'
import * as bets from 'purser/wallet/operator-api/bets/bet-detail'
import * as lists from 'purser/wallet/operator-api/bets/bet-list'
import * as proposals from 'purser/wallet/operator-api/money/adjustment-proposals'
import * as adjustments from 'purser/wallet/operator-api/money/adjustments'
import * as movement from 'purser/wallet/operator-api/money/cash-movement'
import * as cash from 'purser/wallet/operator-api/money/deposits-and-withdrawals'
import * as statement from 'purser/wallet/operator-api/money/statement'
import * as customFields from 'purser/wallet/operator-api/players/custom-fields'
import * as players from 'purser/wallet/operator-api/players/player-profile'
import * as sessions from 'purser/wallet/operator-api/players/player-sessions'

const INTRODUCTION = `The wallet serves two APIs at one address.

**Partner wire**: the calls of the betting platform. Every call is signed, and amounts are JSON
numbers. Every rejection is HTTP 400 with \`{code, message}\`. An answered call can be repeated
any number of times and takes effect once.

**Operator API**: the operator's own calls, with a bearer key. Each role of a key (read, support,
cash, admin) includes the rights of the roles before it. Amounts are decimal strings next to a
\`currency\`, and times are in UTC. Errors are problem details (RFC 9457) with a stable \`code\`
and JSON pointers to the faults. Lists are newest first. \`limit\` sets the size of a page, and
\`after\` takes the \`next\` of the previous page, which is null at the end. A method that a path
does not support is answered 405, and \`Allow\` lists the supported ones.

Ids such as R-1 refer to decisions, see docs/reference/decisions.md.`

const SIGNATURE = `A detached JWS (RFC 7515, appendix F) over the exact bytes of the body, with the shared secret (S-1):
\`base64url(header) + ".." + base64url(HMAC-SHA256(secret, base64url(header) + "." + base64url(body)))\`, header
\`{"alg":"HS256","typ":"JWT"}\`. The command \`purser sign\` creates a signature.`

export const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Purser wallet', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Partner wire', description: 'The calls of the betting platform.' },
    { name: 'Operator: players', description: 'Players, their sessions, limits and currencies.' },
    {
      name: 'Operator: money',
      description: 'Deposits, withdrawals, adjustments, balances, statements and the audit.',
    },
    { name: 'Operator: calls', description: "The journal of the partner wire's calls." },
    { name: 'Operator: changes', description: 'All changes in one order, for programs that follow them.' },
    { name: 'Operator: webhooks', description: 'Addresses that are notified of changes, signed by Standard Webhooks.' },
    { name: 'Operator: actions', description: 'The audit log.' },
    {
      name: 'Operator: conformance',
      description: 'Conformance tests of this wallet, if PURSER_CONFORMANCE allows them.',
    },
    { name: 'Operator: keys', description: 'The API keys, with their roles and limits.' },
    { name: 'Operator: bets', description: 'Bets with their history and locks, and calls that need attention.' },
  ],
  components: {
    securitySchemes: {
      operatorKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'The root key OPERATOR_API_KEY, or an API key created with it. Each operation names the lowest role that may call it.',
      },
      partnerSignature: { type: 'apiKey', in: 'header', name: SIGNATURE_HEADER, description: SIGNATURE },
    },
  },
}

export const NAMED_SCHEMAS = {
  PlaceBet: requests.PlaceBetSchema,
  Settle: requests.SettleSchema,
  Unsettle: requests.UnsettleSchema,
  Rollback: requests.RollbackSchema,
  BetReply: replies.BetReplySchema,
  ErrorReply: replies.ErrorReplySchema,
  ProfileRequest: users.ProfileRequestSchema,
  UserProfile: users.UserProfileSchema,
  CustomFields: users.CustomFieldsSchema,
  BalanceRequest: users.BalanceRequestSchema,
  BalanceReply: users.BalanceReplySchema,
  Check: requests.CheckSchema,
  CheckReply: replies.CheckReplySchema,
  NewPlayer: players.NewPlayerSchema,
  PlayerPatch: players.PlayerPatchSchema,
  Player: players.PlayerSchema,
  StoredFields: customFields.StoredFieldsSchema,
  NewSession: sessions.NewPlayerSessionSchema,
  CurrencySwitch: sessions.CurrencySwitchSchema,
  Session: sessions.PlayerSessionSchema,
  Deposit: cash.DepositSchema,
  Withdrawal: cash.WithdrawalSchema,
  Adjustment: adjustments.AdjustmentSchema,
  AdjustmentProposal: proposals.ProposalSchema,
  AdjustmentProposalPage: proposals.ProposalPageSchema,
  AdjustmentDecision: proposals.DecisionSchema,
  CashReceipt: movement.MovementSchema,
  Balances: cash.BalancesSchema,
  Transfer: statement.TransferSchema,
  TransferPage: statement.StatementSchema,
  NewKey: apiKeys.NewKeySchema,
  KeyRotation: apiKeys.RotationSchema,
  MadeKey: apiKeys.CreatedKeySchema,
  Key: apiKeys.KeySchema,
  KeyPage: apiKeys.KeyPageSchema,
  Action: actions.AuditLogEntrySchema,
  ActionPage: actions.AuditLogPageSchema,
  Bet: bets.BetSchema,
  BetPage: lists.BetListSchema,
  BetHistory: bets.BetHistorySchema,
  Anomaly: anomalies.AnomalySchema,
  AnomalyPage: anomalies.AnomalyListSchema,
  AuditReport: AuditSchema,
  Problem: ProblemSchema,
  Token: requests.TokenSchema,
  UserId: requests.UserIdSchema,
  RequestId: requests.RequestIdSchema,
  BetId: requests.BetIdSchema,
  Currency: requests.CurrencySchema,
  OperatorUser: requests.OperatorUserSchema,
}
