/**
 * The schema, step by step. `PRAGMA user_version` is the number of steps applied to a file, so a released
 * step is never changed: add one behind it.
 */
export const migrations: readonly string[] = [
  `
  -- One number for everything that has to grow: fences, and when a channel was last served.
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO counters VALUES ('fence', 0);

  -- How many events are in each state, kept by triggers: counting 100,000s of old ones takes too long.
  CREATE TABLE tally (state TEXT PRIMARY KEY, events INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO tally VALUES ('queued', 0), ('running', 0), ('answered', 0), ('refused', 0), ('cancelled', 0), ('failed', 0);

  CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    waiting INTEGER NOT NULL DEFAULT 0,
    running_turn TEXT,
    -- 0: it can go on; else its head waits for a retry.
    not_before INTEGER NOT NULL DEFAULT 0,
    -- The fence of its last claim. A new channel begins with a number of its own, so that it can't overtake for ever.
    served INTEGER NOT NULL,
    backend TEXT,
    model TEXT,
    queue_mode TEXT,
    -- The seq of the event behind which the present conversation begins.
    conversation_start INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX channels_ready ON channels (served) WHERE waiting > 0 AND running_turn IS NULL AND not_before = 0;
  CREATE INDEX channels_due ON channels (not_before) WHERE not_before > 0;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    message_id TEXT,
    text TEXT NOT NULL,
    author TEXT,
    state TEXT NOT NULL REFERENCES tally (state),
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER,
    turn_id TEXT,
    response_text TEXT,
    error_code TEXT,
    error_message TEXT
  ) STRICT;
  CREATE UNIQUE INDEX events_message ON events (channel, source, message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX events_channel ON events (channel, seq);
  CREATE INDEX events_waiting ON events (channel, seq) WHERE state = 'queued';

  CREATE TRIGGER events_come AFTER INSERT ON events BEGIN
    UPDATE tally SET events = events + 1 WHERE state = new.state;
    UPDATE channels SET waiting = waiting + 1 WHERE name = new.channel AND new.state = 'queued';
  END;
  CREATE TRIGGER events_change AFTER UPDATE OF state ON events WHEN new.state <> old.state BEGIN
    UPDATE tally SET events = events - 1 WHERE state = old.state;
    UPDATE tally SET events = events + 1 WHERE state = new.state;
    UPDATE channels SET waiting = waiting + (new.state = 'queued') - (old.state = 'queued')
      WHERE name = new.channel AND 'queued' IN (old.state, new.state);
  END;
  CREATE TRIGGER events_go AFTER DELETE ON events BEGIN
    UPDATE tally SET events = events - 1 WHERE state = old.state;
    UPDATE channels SET waiting = waiting - 1 WHERE name = old.channel AND old.state = 'queued';
  END;

  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    worker TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    backend TEXT,
    model TEXT,
    setup TEXT,
    session_id TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cached_input_tokens INTEGER,
    cost_usd REAL,
    stop_reason TEXT,
    error_code TEXT,
    error_message TEXT
  ) STRICT;
  -- No code can run two turns of a channel at once.
  CREATE UNIQUE INDEX turns_running ON turns (channel) WHERE state = 'running';
  CREATE INDEX turns_ended ON turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX turns_channel ON turns (channel, ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE turn_members (
    turn_seq INTEGER NOT NULL REFERENCES turns (seq) ON DELETE CASCADE,
    event_seq INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
    PRIMARY KEY (turn_seq, event_seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turn_members_event ON turn_members (event_seq);

  CREATE TABLE turn_tools (
    seq INTEGER PRIMARY KEY,
    turn_seq INTEGER NOT NULL REFERENCES turns (seq) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    input TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    is_error INTEGER
  ) STRICT;
  CREATE INDEX turn_tools_turn ON turn_tools (turn_seq);

  -- The archive of a turn as lines of JSON, some hundred KB a row: a row for every piece of text would be slow.
  CREATE TABLE turn_events (
    turn_seq INTEGER NOT NULL REFERENCES turns (seq) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (turn_seq, part)
  ) STRICT;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    event_id TEXT,
    -- Where it stands in the conversation: the answer to several events stands behind the last of them.
    at_event INTEGER REFERENCES events (seq) ON DELETE CASCADE,
    -- 1: the text of the event itself.
    opening INTEGER NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    backend TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX messages_channel ON messages (channel);
  CREATE INDEX messages_event ON messages (at_event);

  CREATE TABLE outbox (
    message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    source TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    -- 1: the oldest of its channel, so the next to be delivered.
    head INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    delivered_at INTEGER
  ) STRICT;
  CREATE INDEX outbox_pending ON outbox (channel) WHERE state = 'pending';
  CREATE INDEX outbox_heads ON outbox (not_before) WHERE head = 1;

  CREATE TABLE permissions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    event_seq INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    -- Who asked last: the same question of another holder is the same question, of the same one it is a new one.
    fence INTEGER NOT NULL,
    tool TEXT NOT NULL,
    input TEXT NOT NULL,
    input_key TEXT NOT NULL,
    options TEXT NOT NULL,
    state TEXT NOT NULL,
    decision TEXT,
    message TEXT,
    handed_out INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    decided_at INTEGER
  ) STRICT;
  CREATE INDEX permissions_event ON permissions (event_seq);
  CREATE INDEX permissions_pending ON permissions (seq) WHERE state = 'pending';

  CREATE TABLE sessions (
    channel TEXT NOT NULL,
    backend TEXT NOT NULL,
    session_id TEXT NOT NULL,
    cwd TEXT NOT NULL,
    seen INTEGER NOT NULL,
    PRIMARY KEY (channel, backend)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE schedules (name TEXT PRIMARY KEY, last_run INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- What is kept of an event that was removed, so that its message is not taken for a new one when it comes again.
  CREATE TABLE removed_events (
    channel TEXT NOT NULL,
    source TEXT NOT NULL,
    message_id TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (channel, source, message_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX removed_events_ended ON removed_events (ended_at);
  `,
  `
  -- Attempts that ended with their gateway. They are counted apart from those that count for the retries.
  ALTER TABLE events ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Tools that were asked for and never run: they keep no turn from being tried again.
  ALTER TABLE turn_tools ADD COLUMN denied INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- A turn may have thousands of tools, each of which is looked for twice.
  CREATE INDEX turn_tools_id ON turn_tools (turn_seq, id);
  DROP INDEX turn_tools_turn;
  `,
  `
  -- How deep the model thinks, as it was chosen in the chat.
  ALTER TABLE channels ADD COLUMN thinking TEXT;
  `,
  `
  -- A channel's turns in their order, for whoever follows it.
  CREATE INDEX turns_order ON turns (channel, seq);
  `,
  `
  -- What the sender of a message tells the agent beside its text: a retry after a crash needs it again.
  ALTER TABLE events ADD COLUMN instructions TEXT;
  `,
  `
  -- Statistics and usage read this index alone: they may be about 100,000s of turns.
  CREATE INDEX turns_statistics ON turns (ended_at, backend, channel, state, started_at, input_tokens, output_tokens,
    cached_input_tokens, cost_usd, error_code, model) WHERE ended_at IS NOT NULL;
  `,
  `
  -- The trees of the work tree before and after the turn, as JSON.
  ALTER TABLE turns ADD COLUMN changes TEXT;
  CREATE INDEX turns_changes ON turns (seq) WHERE changes IS NOT NULL;
  `,
  `
  -- The size of the agent's context after the turn, and how much fits into it.
  ALTER TABLE turns ADD COLUMN context_tokens INTEGER;
  ALTER TABLE turns ADD COLUMN context_window INTEGER;
  `,
  `
  -- The agent that a message asks for, as JSON, and its own queue mode: both count when its turn comes.
  ALTER TABLE events ADD COLUMN agent TEXT;
  ALTER TABLE events ADD COLUMN queue_mode TEXT;
  `,
  `
  -- How a person lists the channel: by a title of his own, and whether it is put away.
  ALTER TABLE channels ADD COLUMN title TEXT;
  ALTER TABLE channels ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The mark that a client knows the present end of the conversation by.
  ALTER TABLE channels ADD COLUMN end_mark TEXT;
  CREATE INDEX channels_end_mark ON channels (end_mark) WHERE end_mark IS NOT NULL;
  `,
  `
  -- The channels of Discord in which the gateway speaks, each with the newest message that was seen.
  CREATE TABLE discord_places (
    channel_id TEXT PRIMARY KEY,
    parent_id TEXT,
    seen TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Strangers of Discord with the hashes of their codes, and those who were approved.
  CREATE TABLE discord_codes (
    user_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- The gateway can tell the code again: it follows from the salt and the bot's token.
    salt TEXT NOT NULL,
    hash TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    told INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE discord_paired (
    user_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    paired_at INTEGER NOT NULL,
    -- 1: the person was told.
    welcomed INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE discord_wrong_codes (at INTEGER NOT NULL) STRICT;
  CREATE TABLE discord_refusals (
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, user_id, channel_id)
  ) STRICT, WITHOUT ROWID;
  -- The messages that were taken within the last days, for the limits.
  CREATE TABLE discord_turns (
    message_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX discord_turns_user ON discord_turns (user_id, at);
  CREATE INDEX discord_turns_channel ON discord_turns (channel_id, at);
  CREATE INDEX discord_turns_at ON discord_turns (at);
  `,
  `
  -- The messages that an answer becomes in Discord; 'delivery' is the outbox' message_id. And the progress of turns there.
  CREATE TABLE discord_pieces (
    delivery INTEGER NOT NULL,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    nonce TEXT NOT NULL,
    files TEXT,
    first_tried_at INTEGER,
    message_id TEXT,
    PRIMARY KEY (delivery, place)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE discord_last_messages (
    channel_id TEXT PRIMARY KEY,
    message_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE discord_progress (
    channel_id TEXT PRIMARY KEY,
    nonce TEXT NOT NULL,
    first_tried_at INTEGER NOT NULL,
    message_id TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What the bot has posted on Discord and has to find again.
  CREATE TABLE discord_posts (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    channel TEXT NOT NULL,
    message_id TEXT,
    note TEXT,
    at INTEGER NOT NULL,
    UNIQUE (type, subject)
  ) STRICT;
  CREATE INDEX discord_posts_channel ON discord_posts (channel);
  `,
  `
  -- What a channel adds for the agent about a message; its text is what the person wrote.
  ALTER TABLE events ADD COLUMN context TEXT;
  `,
  `
  -- 1: the answer of a schedule's turn that had nothing to say. It has no row in the outbox.
  ALTER TABLE messages ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- What the answer "always" would allow, in words.
  ALTER TABLE permissions ADD COLUMN always TEXT;
  `,
  `
  -- How many messages a channel has, and which is the last: a list of channels can't look at all messages.
  ALTER TABLE channels ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE channels ADD COLUMN last_message INTEGER;
  UPDATE channels SET messages = said.count, last_message = said.last
    FROM (SELECT channel, count(*) AS count, max(id) AS last FROM messages GROUP BY channel) AS said
    WHERE said.channel = channels.name;
  CREATE INDEX channels_last ON channels (archived, last_message DESC);
  CREATE TRIGGER messages_come AFTER INSERT ON messages BEGIN
    UPDATE channels SET messages = messages + 1, last_message = new.id WHERE name = new.channel;
  END;
  CREATE TRIGGER messages_go AFTER DELETE ON messages BEGIN
    UPDATE channels SET messages = messages - 1 WHERE name = old.channel;
  END;

  -- /retry looks for the last prompt without an answer, which may be 100,000s of answers ago.
  CREATE INDEX events_unanswered ON events (channel, seq) WHERE kind = 'prompt' AND state IN ('failed', 'cancelled');

  -- A reader of turns goes on at exactly the one at which it paused, however many ended at the same time: by the time and the
  -- row's number, for which SQLite uses neither a partial index nor one with more columns.
  DROP INDEX turns_ended;
  DROP INDEX turns_channel;
  DROP INDEX turns_statistics;
  CREATE INDEX turns_ended ON turns (ended_at);
  CREATE INDEX turns_channel ON turns (channel, ended_at);
  `,
];
