// A client of Kibble in Unity, with the SDK of Colyseus 0.18. Not part of any build of ours: a sample to copy from.
// Unity's SDK has no `request`: a command is a message, its answer another one with the same id. Everything is drawn from
// `home:things`, of any module. The class in ../csharp is for the room `home` alone, whose state the SDK decodes.
// What lies inside a message is an `IDictionary`: of objects in objects the SDK makes a dictionary of its own.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Colyseus;
using UnityEngine;

namespace Kibble
{
    /// <summary>What a module keeps: of the module `pets` a pet. `DueAt` is epoch milliseconds, 0: it rests or waits.</summary>
    public class Thing
    {
        public string Module;
        public string Id;
        public double Version;
        public double DueAt;
        public IDictionary<string, object> State;
    }

    /// <summary>One player's home on this device.</summary>
    public class HomeClient : MonoBehaviour
    {
        const float ResendSeconds = 5f;
        /// <summary>A join that takes longer has failed; a connection that held this long was a good one.</summary>
        const float JoinSeconds = 15f;
        const float GoodSeconds = 10f;
        /// <summary>How often the clock is measured. A dead connection looks open for many minutes: it is one that brings
        /// nothing for so long, though an answer is due.</summary>
        const float BeatSeconds = 30f;
        const float SilenceSeconds = 12f;
        /// <summary>How often a refusal for now is tried again before the sender gets it.</summary>
        const int Retries = 5;
        /// <summary>Colyseus' code where `onAuth` refused.</summary>
        const int TokenRefused = 525;
        /// <summary>Close codes after a bad frame, each with the code of the refusal.</summary>
        static readonly Dictionary<int, string> ClosedByFrame = new Dictionary<int, string>
        {
            [1009] = "command/too-large", [4002] = "command/invalid",
        };

        [SerializeField] string address = "ws://localhost:2567";

        /// <summary>Called with each event, once and in order of `seq`.</summary>
        public event Action<IDictionary<string, object>> Happened;

        /// <summary>Called when things or items are others.</summary>
        public event Action Changed;

        /// <summary>Called when the server refuses the token: nothing is tried any more until `Connect` with another.</summary>
        public event Action<string> Refused;

        /// <summary>Called with a guest's renewed token, at each join: store it for the next `Connect`. It ends after 180 days.</summary>
        public event Action<string> Renewed;

        public bool IsOnline => room != null;

        /// <summary>By module and id, with a slash between them. As the server last told it.</summary>
        public IReadOnlyDictionary<string, Thing> Things => things;
        public IDictionary<string, object> Items { get; private set; } = new Dictionary<string, object>();

        Client client;
        Room<HomeState> room;
        bool isWanted;
        bool isJoining;
        /// <summary>Which attempt it is: what an older one still brings is of no use.</summary>
        int life;
        int failures;
        float triedAt;
        float joinAt;
        float beatAt;
        float heardAt;
        readonly System.Random random = new System.Random();
        /// <summary>Every event up to here was told; -1: not known yet, 0: a new player's log has none.</summary>
        double newestSeq = -1;
        string playerId;
        /// <summary>Events that came before others that are missing.</summary>
        readonly SortedDictionary<double, IDictionary<string, object>> early =
            new SortedDictionary<double, IDictionary<string, object>>();
        double offsetMs;
        double quickestMs = double.MaxValue;
        Dictionary<string, Thing> things = new Dictionary<string, Thing>();
        readonly List<Dictionary<string, object>> parts = new List<Dictionary<string, object>>();
        double shownSeq;
        bool isNew = true;
        bool isCatchingUp;
        /// <summary>Commands without an outcome, in the order in which they were given. They outlive the connection.</summary>
        readonly List<Pending> outbox = new List<Pending>();
        /// <summary>After a frame closed a connection: commands are sent one at a time, until all have their outcome.</summary>
        bool isSingly;

        class Pending
        {
            public string Id;
            public string Type;
            public Dictionary<string, object> Message;
            public TaskCompletionSource<Dictionary<string, object>> Answer;
            public float SendAt;
            /// <summary>When this connection sent it first; 0: it did not.</summary>
            public float SentAt;
            public int Attempts;
            /// <summary>It was sent and has no answer yet.</summary>
            public bool IsSent;
            /// <summary>It may be done: its answer was lost once, or the server did not know.</summary>
            public bool IsInDoubt;
        }

        /// <summary>The server's time, epoch milliseconds. Progress is drawn from this and the state's instants.</summary>
        public double NowMs => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() + offsetMs;

        public double LeftMs(Thing thing) => thing.DueAt == 0 ? 0 : Math.Max(0, thing.DueAt - NowMs);

        /// <summary>Begins, and comes back from every loss, whatever the close code, until `Close`. Call `Close`
        /// before you connect another player: commands without an outcome would go to that player's home.</summary>
        public void Connect(string token)
        {
            if (client == null) client = new Client(address);
            client.Auth.Token = token;
            isWanted = true;
            if (room == null) joinAt = Time.realtimeSinceStartup;
        }

        /// <summary>Ends it. What became of commands without an outcome is not known then.</summary>
        public void Close()
        {
            isWanted = false;
            isJoining = false;
            life++;
            if (room != null) _ = room.Leave();
            room = null;
            var left = outbox.ToArray();
            outbox.Clear();
            foreach (var command in left) command.Answer.TrySetCanceled();
        }

        void OnDestroy() => Close();

        async Task Join()
        {
            isJoining = true;
            triedAt = Time.realtimeSinceStartup;
            var own = ++life;
            var options = new Dictionary<string, object> { ["things"] = true };
            isNew = true;
            parts.Clear();
            if (newestSeq >= 0)
            {
                // The things come first, then what was missed.
                options["afterSeq"] = newestSeq;
                options["epoch"] = PlayerPrefs.GetString("kibble-epoch");
            }
            try
            {
                var joined = await client.JoinOrCreate<HomeState>("home", options);
                if (own == life) Enter(joined);
                else
                {
                    joined.Reconnection.Enabled = false;
                    _ = joined.Leave();
                }
            }
            catch (Exception error)
            {
                if (own != life) return;
                if (!IsRefusedToken(error))
                {
                    Lose();
                    return;
                }
                isWanted = false;
                isJoining = false;
                Refused?.Invoke(error.Message);
            }
        }

        static bool IsRefusedToken(Exception error) =>
            error.Message.StartsWith("auth/") || (error as MatchMakeException)?.Code == TokenRefused
            || (error as HttpException)?.StatusCode == TokenRefused;

        void Enter(Room<HomeState> joined)
        {
            isJoining = false;
            room = joined;
            triedAt = heardAt = Time.realtimeSinceStartup;
            // It asks the process that may be gone, and gives up. A new join finds any.
            joined.Reconnection.Enabled = false;
            joined.OnLeave += code => { if (room == joined) Leave(code); };
            joined.OnMessage<Dictionary<string, object>>("home:events", Heard(joined, OnEvents));
            joined.OnMessage<Dictionary<string, object>>("home:things", Heard(joined, OnThings));
            joined.OnMessage<Dictionary<string, object>>("home:reply", Heard(joined, OnReply));
            joined.OnMessage<Dictionary<string, object>>("home:rejected", Heard(joined, OnRejected));
            joined.OnMessage<Dictionary<string, object>>("home:token", message =>
            {
                if (room != joined) return;
                client.Auth.Token = (string)message["token"];
                Renewed?.Invoke(client.Auth.Token);
            });
            foreach (var command in outbox.ToArray())
            {
                command.SentAt = 0;
                SendNow(command);
            }
            _ = CatchUp();
            Beat();
        }

        /// <summary>A command that is sent alone and closes the connection is refused: it would always close it.</summary>
        void Leave(int code)
        {
            Pending refused = null;
            if (ClosedByFrame.TryGetValue(code, out var why))
            {
                if (isSingly && outbox.Count > 0 && outbox[0].SentAt > 0) refused = outbox[0];
                isSingly = true;
            }
            Lose();
            if (refused == null) return;
            outbox.Remove(refused);
            refused.Answer.TrySetException(new InvalidOperationException(why));
        }

        Action<Dictionary<string, object>> Heard(Room<HomeState> joined, Action<Dictionary<string, object>> handle) => message =>
        {
            if (room != joined) return;
            heardAt = Time.realtimeSinceStartup;
            handle(message);
        };

        /// <summary>Asks for the time: the device's clock may have been set, and a dead connection does not answer.</summary>
        void Beat()
        {
            beatAt = Time.realtimeSinceStartup + BeatSeconds;
            quickestMs = double.MaxValue;
            _ = MeasureClock();
        }

        void Lose()
        {
            if (room != null && Time.realtimeSinceStartup - triedAt > GoodSeconds) failures = 0;
            life++;
            room = null;
            isJoining = false;
            joinAt = Time.realtimeSinceStartup + BackOffSeconds(failures++);
        }

        /// <summary>It doubles, to 15 s; half of it is by chance, so that clients do not come back all at once.</summary>
        float BackOffSeconds(int times) => (float)(Math.Min(15, 0.4 * Math.Pow(2, times)) * (0.5 + random.NextDouble() / 2));

        /// <summary>Sends a command until there is an answer: with the same id, so it is done once.</summary>
        public Task<Dictionary<string, object>> Send(string type, Dictionary<string, object> payload)
        {
            var commandId = Guid.NewGuid().ToString();
            var message = new Dictionary<string, object>(payload) { ["commandId"] = commandId };
            var answer = new TaskCompletionSource<Dictionary<string, object>>();
            var command = new Pending { Id = commandId, Type = type, Message = message, Answer = answer };
            outbox.Add(command);
            SendNow(command);
            return answer.Task;
        }

        public Task Feed(Thing pet, string food) =>
            Send("home:feed", new Dictionary<string, object> { ["petId"] = pet.Id, ["food"] = food });

        /// <summary>For this feeding and no later one: a card that comes too late is kept.</summary>
        public Task UseCard(Thing pet, string card) =>
            Send("home:use-card", new Dictionary<string, object>
            {
                ["petId"] = pet.Id, ["card"] = card, ["feedingId"] = FeedingOf(pet),
            });

        /// <summary>Of a pet that does not eat no feeding has the name: the server refuses the card.</summary>
        static string FeedingOf(Thing pet) =>
            pet.State.TryGetValue("feeding", out var feeding) && feeding != null ? Field(feeding, "feedingId") : "none";

        void Update()
        {
            var now = Time.realtimeSinceStartup;
            if (isJoining && now - triedAt > JoinSeconds) Lose();
            if (isWanted && room == null && !isJoining && now >= joinAt) _ = Join();
            if (room != null && now >= beatAt) Beat();
            if (room != null && now - heardAt > SilenceSeconds
                && outbox.Exists(command => command.SentAt > 0 && now - command.SentAt > SilenceSeconds))
            {
                var dead = room;
                Lose();
                _ = dead.Leave(false);
            }
            foreach (var command in outbox) if (now >= command.SendAt) SendNow(command);
        }

        /// <summary>Without a connection it goes with the next one.</summary>
        void SendNow(Pending command)
        {
            command.SendAt = Time.realtimeSinceStartup + ResendSeconds;
            if (room == null || (isSingly && command != outbox[0])) return;
            if (command.SentAt == 0) command.SentAt = Time.realtimeSinceStartup;
            command.IsInDoubt |= command.IsSent;
            command.IsSent = true;
            _ = room.Send(command.Type, command.Message);
        }

        void OnReply(Dictionary<string, object> reply)
        {
            if (reply.ContainsKey("events")) Tell(reply, Find(reply)?.Type == "home:sync");
            Finish(reply)?.Answer.TrySetResult(reply);
        }

        void OnRejected(Dictionary<string, object> rejection)
        {
            var code = (string)rejection["code"];
            if (code == "sync/ahead")
            {
                // Another life of the database, or of the player: what was known is forgotten, and the log is read from here on.
                var start = (IDictionary<string, object>)rejection["params"];
                newestSeq = Convert.ToDouble(start["seq"]);
                early.Clear();
                if (start.TryGetValue("epoch", out var epoch)) PlayerPrefs.SetString("kibble-epoch", (string)epoch);
                else
                {
                    // The player was erased: all things come anew, with their epoch and lower numbers.
                    isNew = true;
                    parts.Clear();
                }
            }
            // `retryable`: nothing was done, or the outcome is unknown. `Update` sends the same again, later each time.
            else if ((bool)rejection["retryable"] && Find(rejection) is Pending again && MayRetry(again, rejection))
            {
                again.IsSent = false;
                again.SentAt = 0;
                again.SendAt = Time.realtimeSinceStartup + BackOffSeconds(again.Attempts++);
                return;
            }
            Finish(rejection)?.Answer.TrySetException(new InvalidOperationException(code));
        }

        /// <summary>A command that may be done is sent until its outcome is known.</summary>
        static bool MayRetry(Pending command, Dictionary<string, object> rejection)
        {
            command.IsInDoubt |= ((IDictionary<string, object>)rejection["params"]).ContainsKey("outcome");
            return command.IsInDoubt || command.Attempts < Retries;
        }

        Pending Find(Dictionary<string, object> answer) =>
            answer.TryGetValue("commandId", out var id) ? outbox.Find(command => command.Id == (string)id) : null;

        Pending Finish(Dictionary<string, object> answer)
        {
            var command = Find(answer);
            if (command == null) return null;
            outbox.Remove(command);
            if (outbox.Count == 0) isSingly = false;
            else if (isSingly) SendNow(outbox[0]);
            return command;
        }

        void OnEvents(Dictionary<string, object> message) => Tell(message, false);

        /// <summary>All things after a join, then those of each commit; in parts, which count when the last one is here.</summary>
        void OnThings(Dictionary<string, object> message)
        {
            parts.Add(message);
            if (message.ContainsKey("more")) return;
            var told = parts.ToArray();
            parts.Clear();
            var seq = Convert.ToDouble(message["seq"]);
            var isWhole = message.TryGetValue("snapshot", out var snapshot);
            // What is not newer was shown already; the first of a connection counts whatever was shown before.
            if (isNew ? !isWhole : isWhole ? seq < shownSeq : seq <= shownSeq) return;
            if (isWhole)
            {
                things = new Dictionary<string, Thing>();
                PlayerPrefs.SetString("kibble-epoch", Field(snapshot, "epoch"));
                // From here on each event is told, also one of the next absence.
                var player = Field(snapshot, "playerId");
                // With another player's token the place in the log was the former player's.
                if (newestSeq < 0 || (playerId != null && player != playerId))
                {
                    newestSeq = seq;
                    early.Clear();
                }
                playerId = player;
            }
            isNew = false;
            shownSeq = seq;
            Items = (IDictionary<string, object>)message["items"];
            foreach (var part in told)
            {
                foreach (var gone in (IEnumerable<object>)part["gone"])
                    things.Remove($"{Field(gone, "module")}/{Field(gone, "id")}");
                foreach (var item in (IEnumerable<object>)part["things"])
                {
                    var thing = Read((IDictionary<string, object>)item);
                    things[$"{thing.Module}/{thing.Id}"] = thing;
                }
            }
            Changed?.Invoke();
        }

        static Thing Read(IDictionary<string, object> told) => new Thing
        {
            Module = (string)told["module"],
            Id = (string)told["id"],
            Version = Convert.ToDouble(told["version"]),
            DueAt = Convert.ToDouble(told["dueAt"]),
            State = (IDictionary<string, object>)told["state"],
        };

        static string Field(object told, string name) => (string)((IDictionary<string, object>)told)[name];

        /// <summary>
        /// An event may come twice, by a reply and by a push: what is not newer was told already. Or too early: the reply
        /// to a command does not wait for the pages of what was missed. What a page of the log lacks before its first
        /// event is no longer in the log.
        /// </summary>
        void Tell(Dictionary<string, object> message, bool isPage)
        {
            foreach (var item in (IEnumerable<object>)message["events"])
            {
                var happened = (IDictionary<string, object>)item;
                // Events of a quote did not happen: they have no `seq`.
                if (!happened.ContainsKey("seq")) continue;
                var seq = Convert.ToDouble(happened["seq"]);
                if (newestSeq < 0 || seq <= newestSeq) continue;
                if (isPage) newestSeq = seq - 1;
                isPage = false;
                early[seq] = happened;
            }
            while (early.TryGetValue(newestSeq + 1, out var next))
            {
                early.Remove(++newestSeq);
                Happened?.Invoke(next);
            }
            if (early.Count > 0) _ = CatchUp();
        }

        /// <summary>Reads the log to its end: a join brings the first part of what was missed.</summary>
        async Task CatchUp()
        {
            if (isCatchingUp || newestSeq < 0) return;
            isCatchingUp = true;
            try
            {
                for (var isTruncated = true; isTruncated;)
                {
                    var page = await Send("home:sync", new Dictionary<string, object> { ["afterSeq"] = newestSeq });
                    isTruncated = page.ContainsKey("truncated") && (bool)page["truncated"];
                }
            }
            finally
            {
                isCatchingUp = false;
            }
        }

        /// <summary>The offset of the quickest of five answers: it was half as old as it was slow.</summary>
        async Task MeasureClock()
        {
            var own = life;
            for (var times = 0; times < 5; times++)
            {
                var sentMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
                var reply = await Send("home:time", new Dictionary<string, object>());
                // It was sent on an earlier connection: its way took too long, and `Enter` measures anew.
                if (own != life) return;
                var tookMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() - sentMs;
                if (tookMs > quickestMs) continue;
                quickestMs = tookMs;
                offsetMs = Convert.ToDouble(reply["nowMs"]) + tookMs / 2.0 - (sentMs + tookMs);
            }
        }
    }
}
