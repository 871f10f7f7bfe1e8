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

        [SerializeField] string address = "ws://localhost:2567";

        /// <summary>Called with each event, once and in order of `seq`.</summary>
        public event Action<IDictionary<string, object>> Happened;

        /// <summary>Called when things or items are others.</summary>
        public event Action Changed;

        /// <summary>By module and id, with a slash between them. As the server last told it.</summary>
        public IReadOnlyDictionary<string, Thing> Things => things;
        public IDictionary<string, object> Items { get; private set; } = new Dictionary<string, object>();

        Client client;
        Room<HomeState> room;
        double newestSeq;
        double offsetMs;
        double quickestMs = double.MaxValue;
        Dictionary<string, Thing> things = new Dictionary<string, Thing>();
        readonly List<Dictionary<string, object>> parts = new List<Dictionary<string, object>>();
        double shownSeq;
        bool isNew = true;
        readonly Dictionary<string, Pending> pending = new Dictionary<string, Pending>();

        class Pending
        {
            public string Type;
            public Dictionary<string, object> Message;
            public TaskCompletionSource<Dictionary<string, object>> Answer;
            public float SentAt;
        }

        /// <summary>The server's time, epoch milliseconds. Progress is drawn from this and the state's instants.</summary>
        public double NowMs => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() + offsetMs;

        public double LeftMs(Thing thing) => thing.DueAt == 0 ? 0 : Math.Max(0, thing.DueAt - NowMs);

        public async Task Connect(string token)
        {
            client = new Client(address);
            client.Auth.Token = token;
            await Join();
        }

        async Task Join()
        {
            var options = new Dictionary<string, object> { ["things"] = true };
            isNew = true;
            parts.Clear();
            if (newestSeq > 0)
            {
                // What was missed comes first.
                options["afterSeq"] = newestSeq;
                options["epoch"] = PlayerPrefs.GetString("kibble-epoch");
            }
            room = await client.JoinOrCreate<HomeState>("home", options);
            room.OnMessage<Dictionary<string, object>>("home:events", OnEvents);
            room.OnMessage<Dictionary<string, object>>("home:things", OnThings);
            room.OnMessage<Dictionary<string, object>>("home:reply", OnReply);
            room.OnMessage<Dictionary<string, object>>("home:rejected", OnRejected);
            room.OnMessage<Dictionary<string, object>>("home:token", message => client.Auth.Token = (string)message["token"]);
            room.OnReconnect += async () => await CatchUp();
            await MeasureClock();
        }

        /// <summary>Sends a command until there is an answer: with the same id, so it is done once.</summary>
        public Task<Dictionary<string, object>> Send(string type, Dictionary<string, object> payload)
        {
            var commandId = Guid.NewGuid().ToString();
            var message = new Dictionary<string, object>(payload) { ["commandId"] = commandId };
            var answer = new TaskCompletionSource<Dictionary<string, object>>();
            pending[commandId] = new Pending { Type = type, Message = message, Answer = answer };
            SendNow(pending[commandId]);
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

        static string FeedingOf(Thing pet) => Field(pet.State["feeding"], "feedingId");

        void Update()
        {
            foreach (var command in new List<Pending>(pending.Values))
            {
                if (Time.realtimeSinceStartup - command.SentAt > ResendSeconds) SendNow(command);
            }
        }

        void SendNow(Pending command)
        {
            command.SentAt = Time.realtimeSinceStartup;
            _ = room.Send(command.Type, command.Message);
        }

        void OnReply(Dictionary<string, object> reply)
        {
            if (reply.ContainsKey("events")) Tell(reply);
            Finish(reply)?.Answer.TrySetResult(reply);
        }

        void OnRejected(Dictionary<string, object> rejection)
        {
            var code = (string)rejection["code"];
            if (code == "sync/ahead")
            {
                newestSeq = 0;
                isNew = true;
                return;
            }
            // `retryable`: nothing was done, or nobody knows. `Update` sends the same again.
            if ((bool)rejection["retryable"]) return;
            Finish(rejection)?.Answer.TrySetException(new InvalidOperationException(code));
        }

        Pending Finish(Dictionary<string, object> answer)
        {
            if (!answer.TryGetValue("commandId", out var id) || !pending.Remove((string)id, out var command)) return null;
            return command;
        }

        void OnEvents(Dictionary<string, object> message) => Tell(message);

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

        /// <summary>An event may come twice, by a reply and by a push: what is not newer was told already.</summary>
        void Tell(Dictionary<string, object> message)
        {
            foreach (var item in (IEnumerable<object>)message["events"])
            {
                var happened = (IDictionary<string, object>)item;
                var seq = Convert.ToDouble(happened["seq"]);
                if (seq <= newestSeq) continue;
                newestSeq = seq;
                Happened?.Invoke(happened);
            }
        }

        /// <summary>What was on its way when the connection broke may be lost.</summary>
        async Task CatchUp()
        {
            for (var isTruncated = true; isTruncated;)
            {
                var page = await Send("home:sync", new Dictionary<string, object> { ["afterSeq"] = newestSeq });
                isTruncated = page.ContainsKey("truncated") && (bool)page["truncated"];
            }
            await MeasureClock();
        }

        /// <summary>The offset of the quickest of five answers: it was half as old as it was slow.</summary>
        async Task MeasureClock()
        {
            for (var times = 0; times < 5; times++)
            {
                var sentMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
                var reply = await Send("home:time", new Dictionary<string, object>());
                var tookMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() - sentMs;
                if (tookMs > quickestMs) continue;
                quickestMs = tookMs;
                offsetMs = Convert.ToDouble(reply["nowMs"]) + tookMs / 2.0 - (sentMs + tookMs);
            }
        }
    }
}
