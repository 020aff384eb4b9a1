import type { Ballast } from '../ballast.js';
import { fileLost } from '../errors.js';
import type { DirectoryLock } from '../instance-lock.js';
import type { Store } from '../store.js';
import { adoptSession } from './adopt-session.js';
import { readArchive, readPart } from './archive.js';
import * as changes from './changes.js';
import * as conversations from './conversations.js';
import type { Database } from './database.js';
import * as digests from './digests.js';
import { countTurn, senderOf, spendReached } from './discord-limits.js';
import * as people from './discord-people.js';
import * as discordPieces from './discord-pieces.js';
import * as places from './discord-places.js';
import * as discordPosts from './discord-posts.js';
import * as discordProgress from './discord-progress.js';
import * as endings from './endings.js';
import * as events from './events.js';
import { FileGuard } from './file-guard.js';
import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import { createIds } from './ids.js';
import * as lanes from './lanes.js';
import * as leases from './leases.js';
import { type OpenOptions, openDatabase } from './open-database.js';
import * as outbox from './outbox.js';
import * as permissions from './permissions.js';
import { prune } from './prune.js';
import { toEvent } from './read-rows.js';
import * as reports from './reports.js';
import { newWorkRefused } from './sqlite-errors.js';
import * as statistics from './statistics.js';
import * as turns from './turns.js';
import { changeWaiting, moveToFront } from './waiting-changes.js';

export interface SqliteStoreOptions extends OpenOptions, Omit<GroupCommitOptions, 'ballast'> {
  /** Room on the disk that is given up for what has begun. Without it a full disk takes nothing. */
  readonly ballast?: Ballast | undefined;
  /**
   * The lock of the directory. With it, all files are watched: without one of the database's nothing is stored, and without the
   * lock's no new work.
   */
  readonly lock?: Pick<DirectoryLock, 'check'> | undefined;
}

/** Opens the store in one SQLite file. See docs/store.md. */
export async function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const db = await openDatabase(file, options);
  const guard = options.lock === undefined ? undefined : new FileGuard(file);
  return createSqliteStore(db, { ...options, guard });
}

export function createSqliteStore(
  db: Database,
  options: Omit<SqliteStoreOptions, keyof OpenOptions> = {},
): Store {
  const commits = new GroupCommit(db, options);
  const newId = createIds();
  const write = <T>(operation: (db: Database) => T) => commits.write(operation);
  const { ballast, lock } = options;
  const expectLock = () => {
    const lost = lock?.check();
    if (lost !== undefined) throw fileLost(lost);
  };
  /** Writes what brings new work: it waits as long as the last room on the disk is for work that has begun. */
  const begin = async <T>(operation: (db: Database) => T): Promise<T> => {
    expectLock();
    if (ballast?.released && !(await ballast.restore())) throw newWorkRefused(db.file);
    return write(operation);
  };
  const read = <T>(query: (db: Database) => T) => commits.read(query);

  return {
    // A command that is answered at once brings no work; /stop may end what fills the disk.
    accept: (event, accepting) => {
      const operation = (tx: Database) => events.accept(tx, event, accepting, newId);
      return accepting.settled === undefined ? begin(operation) : write(operation);
    },

    claim: (request) => begin((tx) => lanes.claim(tx, request, newId)),
    join: (lease, request) => write((tx) => leases.join(tx, lease, request)),
    leave: (lease, eventId) => write((tx) => leases.leave(tx, lease, eventId)),
    journal: (lease, entry) => write((tx) => leases.journal(tx, lease, entry)),
    heartbeat: (held, leaseUntil) => write((tx) => leases.heartbeat(tx, held, leaseUntil)),
    finish: (lease, outcome) => write((tx) => endings.finish(tx, lease, outcome)),
    postpone: (lease, retry) => write((tx) => endings.postpone(tx, lease, retry)),
    takeOver: (request) => write((tx) => leases.takeOver(tx, request)),
    cancelWaiting: (request) => write((tx) => events.cancelWaiting(tx, request)),
    changeWaiting: (...given) => write((tx) => changeWaiting(tx, ...given)),
    moveToFront: (eventId) => write((tx) => moveToFront(tx, eventId)),
    nextDue: () => read(lanes.nextDue),

    post: (message, at) => write((tx) => outbox.post(tx, message, at)),
    undelivered: (request) => read((tx) => outbox.undelivered(tx, request)),
    delivered: (ids, at) => write((tx) => outbox.delivered(tx, ids, at)),
    notDelivered: (id, failure) => write((tx) => outbox.notDelivered(tx, id, failure)),

    discordPieces: (delivery) => read((tx) => discordPieces.discordPieces(tx, delivery)),
    cutDiscordPieces: (delivery, from, pieces) =>
      write((tx) => discordPieces.cutDiscordPieces(tx, delivery, from, pieces)),
    discordPieceTried: (delivery, index, at) =>
      write((tx) => discordPieces.discordPieceTried(tx, delivery, index, at)),
    discordPieceSent: (delivery, index, sent) =>
      write((tx) => discordPieces.discordPieceSent(tx, delivery, index, sent)),
    lastDiscordMessage: (channelId) => read((tx) => discordPieces.lastDiscordMessage(tx, channelId)),
    saveDiscordProgress: (progress) => write((tx) => discordProgress.saveDiscordProgress(tx, progress)),
    forgetDiscordProgress: (channelId) => write((tx) => discordProgress.forgetDiscordProgress(tx, channelId)),
    discordProgress: () => read(discordProgress.discordProgress),

    askPermission: (lease, request) => write((tx) => permissions.askPermission(tx, lease, request)),
    decidePermission: (id, answer) => write((tx) => permissions.decidePermission(tx, id, answer)),
    pendingPermissions: () => read(permissions.pendingPermissions),
    pendingOutlines: (channel) => read((tx) => permissions.pendingOutlines(tx, channel)),
    questions: (turnId) => read((tx) => permissions.questionsOf(tx, turnId)),
    permission: (id) => read((tx) => permissions.findPermission(tx, id)),

    session: (channel, backend) => read((tx) => conversations.readSession(tx, channel, backend)),
    saveSession: (session) => write((tx) => conversations.saveSession(tx, session)),
    forgetSession: (channel, backend) => write((tx) => conversations.forgetSession(tx, channel, backend)),
    sessions: () => conversations.listSessions(commits),
    adoptSession: (adoption, at) => write((tx) => adoptSession(tx, adoption, at)),
    channel: (channel) => read((tx) => conversations.readChannel(tx, channel)),
    changeChannel: (channel, change) => write((tx) => conversations.changeChannel(tx, channel, change)),
    changeListing: (channel, change) => write((tx) => conversations.changeListing(tx, channel, change)),
    markEnd: (eventId, mark) => write((tx) => conversations.markEnd(tx, eventId, mark)),
    takeMarked: (mark) => write((tx) => conversations.takeMarked(tx, mark)),
    channels: () => conversations.listChannels(commits),
    channelNames: () => digests.channelNames(commits),
    channelDigests: (query) => digests.channelDigests(commits, query),
    messages: (channel, page) => read((tx) => conversations.readMessages(tx, channel, page)),
    conversation: (channel, page) => read((tx) => conversations.readConversation(tx, channel, page)),
    newestMessages: (page) => read((tx) => digests.newestMessages(tx, page)),

    event: (id) => read((tx) => events.findEvent(tx, id)),
    eventOf: (source, channel, messageId) =>
      read((tx) => events.findByMessage(tx, source, channel, messageId)),
    changingTurns: (channel, limit) => changes.changingTurns(commits, channel, limit),
    treesOf: (cwd) => changes.treesOf(commits, cwd),
    turns: (eventId) => read((tx) => turns.turnsOf(tx, eventId)),
    turnsFrom: (channel, seq, limit) => read((tx) => turns.turnsFrom(tx, channel, seq, limit)),
    contextUsed: (channel, backend) => read((tx) => turns.contextUsed(tx, channel, backend)),
    runningTurn: (channel) => read((tx) => turns.runningTurn(tx, channel)),
    holds: (channel, place) => read((tx) => turns.holds(tx, channel, place)),
    nextMessage: (channel, after) => read((tx) => conversations.nextMessage(tx, channel, after)),
    archivedPart: (turnId, part) => read((tx) => readPart(tx, turnId, part)),
    lastOf: (channel) => read((tx) => turns.lastOf(tx, channel)),
    firstPrompt: (channel) => read((tx) => conversations.firstPrompt(tx, channel)),
    turnEvents: (turnId, maxCharacters) => readArchive(commits, turnId, maxCharacters),
    turnsEnded: (range) => read((tx) => reports.turnsEnded(tx, range)),
    waiting: (channel, limit) => read((tx) => lanes.waitingEvents(tx, channel, limit).map(toEvent)),
    waitingOutlines: (channel, limit) => read((tx) => lanes.waitingOutlines(tx, channel, limit).map(toEvent)),
    waitingEverywhere: (limit) => read((tx) => lanes.waitingEverywhere(tx, limit).map(toEvent)),
    countWaiting: (channel) => read((tx) => lanes.countWaiting(tx, channel)),
    running: (channel) => read((tx) => turns.runningTurns(tx, channel)),
    lastUnanswered: (channel) => read((tx) => events.lastUnanswered(tx, channel)),
    usage: (query) => reports.usage(commits, query),
    statistics: (query) => read((tx) => statistics.statistics(tx, query)),
    countTurns: (query) => read((tx) => statistics.countTurns(tx, query)),
    turnPlace: (from, count) => read((tx) => reports.turnPlace(tx, from, count)),
    modelsUsed: () => read(statistics.modelsUsed),
    counts: () => read(reports.counts),

    discordPlaces: () => read(places.discordPlaces),
    discordPlace: (channelId) => read((tx) => places.discordPlace(tx, channelId)),
    saveDiscordPlace: (place) => write((tx) => places.saveDiscordPlace(tx, place)),
    forgetDiscordPlace: (channelId) => write((tx) => places.forgetDiscordPlace(tx, channelId)),
    isDiscordPaired: (userId) => read((tx) => people.isPaired(tx, userId)),
    discordPaired: () => read(people.listPaired),
    discordStrangers: (at) => read((tx) => people.listStrangers(tx, at)),
    openDiscordCode: (code) => write((tx) => people.openCode(tx, code)),
    discordCode: (userId, at) => read((tx) => people.readCode(tx, userId, at)),
    approveDiscordCode: (attempt) => write((tx) => people.approveCode(tx, attempt)),
    removeDiscordPerson: (userId) => write((tx) => people.removePerson(tx, userId)),
    discordUnwelcomed: () => read(people.unwelcomed),
    discordWelcomed: (userId) => write((tx) => people.welcomed(tx, userId)),
    noteDiscordRefusal: (refusal) => write((tx) => people.noteRefusal(tx, refusal)),
    discordSender: (messageId) => read((tx) => senderOf(tx, messageId)),
    discordSpendReached: (message, limits) => read((tx) => spendReached(tx, message, limits)),
    countDiscordTurn: (turn, limits) => write((tx) => countTurn(tx, turn, limits)),
    saveDiscordPost: (saved) => write((tx) => discordPosts.savePost(tx, saved)),
    discordPost: (type, subject) => read((tx) => discordPosts.findPost(tx, type, subject)),
    discordPosts: (channel) => read((tx) => discordPosts.listPosts(tx, channel)),
    removeDiscordPost: (type, subject) => write((tx) => discordPosts.removePost(tx, type, subject)),

    lastRun: (schedule) => read((tx) => reports.lastRun(tx, schedule)),
    saveRun: (schedule, at) => write((tx) => reports.saveRun(tx, schedule, at)),

    prune: (cut) => prune(commits, cut),
    check: async () => {
      await commits.check();
      expectLock();
    },
    // A gap in the fences means nothing. A disk that is full for hours is probed thousands of times: that is no work that has
    // begun, and gets none of the ballast's room.
    probe: () => begin((tx) => void lanes.nextFence(tx)),
    close: () => commits.close(),
  };
}
