// A player of the sample whose connections end in every way. Each line that it prints is what the test expects.
using System;
using System.Collections.Generic;

public static class Playing
{
    static readonly List<Colyseus.Room<Kibble.HomeState>> rooms = new List<Colyseus.Room<Kibble.HomeState>>();
    static readonly List<Dictionary<string, object>> joins = new List<Dictionary<string, object>>();
    static Exception refusal;

    static object Serve(Dictionary<string, object> options)
    {
        joins.Add(options);
        if (refusal != null) throw refusal;
        rooms.Add(new Colyseus.Room<Kibble.HomeState>());
        return rooms[rooms.Count - 1];
    }

    static Colyseus.Room<Kibble.HomeState> Last => rooms[rooms.Count - 1];

    static void Frames(Kibble.HomeClient client, float seconds)
    {
        var update = typeof(Kibble.HomeClient).GetMethod(
            "Update", System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic);
        for (var ends = UnityEngine.Time.realtimeSinceStartup + seconds; UnityEngine.Time.realtimeSinceStartup < ends;)
        {
            UnityEngine.Time.realtimeSinceStartup += 0.1f;
            update.Invoke(client, null);
        }
    }

    static List<string> Ids(string type) =>
        Last.Sent.FindAll(sent => sent.Key == type).ConvertAll(sent => (string)sent.Value["commandId"]);

    static Dictionary<string, object> Object(params object[] parts)
    {
        var made = new Dictionary<string, object>();
        for (var at = 0; at < parts.Length; at += 2) made[(string)parts[at]] = parts[at + 1];
        return made;
    }

    static object[] Events(int from, int to)
    {
        var made = new List<object>();
        for (var seq = from; seq <= to; seq++) made.Add(Object("seq", seq));
        return made.ToArray();
    }

    static void Snapshot(int seq, string epoch, string player = "ann") => Last.Tell("home:things", Object(
        "seq", seq, "snapshot", Object("playerId", player, "epoch", epoch), "items", Object(), "gone", new object[0], "things", new object[0]));

    static void Refuse(string id, Dictionary<string, object> why) => Last.Tell("home:rejected", Object(
        "commandId", id, "code", "server/unavailable", "params", why, "retryable", true));

    public static void Main()
    {
        Colyseus.Client.Server = Serve;
        var client = new Kibble.HomeClient();
        var refused = "";
        client.Refused += code => refused = code;
        client.Connect("token");
        Frames(client, 1);
        Snapshot(7, "first");
        var command = client.Send("home:feed", Object("petId", "rex", "food", "snack"));
        var id = Ids("home:feed")[0];
        foreach (var code in new[] { 1000, 1001, 1006, 4001, 4003, 4401 })
        {
            var before = rooms.Count;
            Last.Close(code);
            Frames(client, 11);
            var join = joins[joins.Count - 1];
            var isBack = client.IsOnline && !Last.Reconnection.Enabled && rooms.Count == before + 1;
            Console.WriteLine($"{code} back {isBack} since {join["afterSeq"]} of {join["epoch"]} again {Ids("home:feed")[0] == id}");
        }
        refusal = new Exception("server is away");
        Last.Close(1006);
        var tried = joins.Count;
        Frames(client, 60);
        var tries = joins.Count - tried;
        Console.WriteLine($"away tries {tries > 4 && tries < 14}");
        refusal = null;
        while (!client.IsOnline) Frames(client, 1);
        var fresh = client.Send("home:adopt", Object("name", "Rex", "species", "dog"));
        var lost = client.Send("home:adopt", Object("name", "Tom", "species", "cat"));
        var ids = Ids("home:adopt");
        for (var times = 0; times < 8; times++)
        {
            foreach (var refusedId in new[] { id, ids[0] }) Refuse(refusedId, Object());
            Refuse(ids[1], times == 0 ? Object("outcome", "unknown") : Object());
        }
        Console.WriteLine($"refused for now: sent again {command.IsCompleted}, new {fresh.IsFaulted}, unknown {lost.IsCompleted}");
        Last.Tell("home:reply", Object("commandId", ids[1]));
        Last.Tell("home:reply", Object("commandId", id));
        Console.WriteLine($"done {client.IsOnline} {command.IsCompleted}");
        var quote = client.Send("home:quote", Object("command", "home:feed", "payload", Object("petId", "rex")));
        Last.Tell("home:reply", Object("commandId", Ids("home:quote")[0], "events", new object[] { Object("type", "feeding-started") }));
        Console.WriteLine($"quoted {quote.IsCompleted}");
        var told = new List<double>();
        client.Happened += happened => told.Add(Convert.ToDouble(happened["seq"]));
        Last.Tell("home:events", Object("events", Events(8, 9), "truncated", true));
        Last.Tell("home:reply", Object("commandId", "early", "events", Events(12, 13)));
        Last.Tell("home:events", Object("events", Events(14, 14)));
        // Of the asked pages the first brings one event, and 11 is no longer in the log.
        foreach (var page in new[] { Events(10, 10), Events(12, 14) })
            Last.Tell("home:reply", Object("commandId", Ids("home:sync").FindLast(_ => true), "events", page, "truncated", page.Length == 1));
        Console.WriteLine($"told {string.Join(" ", told)}");
        Throw(client);
        refusal = new Exception("auth/refused");
        Last.Close(4401);
        tried = joins.Count;
        Frames(client, 60);
        Console.WriteLine($"refused {refused} tries {joins.Count - tried}");
        refusal = null;
        BeginAnew();
    }

    /// <summary>The second of three commands closes each connection on which it is sent.</summary>
    static void Throw(Kibble.HomeClient client)
    {
        var names = new[] { "good", "poison", "late" };
        var sent = new List<System.Threading.Tasks.Task<Dictionary<string, object>>>();
        foreach (var name in names) sent.Add(client.Send("home:adopt", Object("name", name, "species", "dog")));
        var closed = 0;
        for (var times = 0; times < 40; times++)
        {
            var all = Last.Sent.FindAll(frame => frame.Key == "home:adopt");
            if (client.IsOnline && all.Exists(frame => (string)frame.Value["name"] == "poison"))
            {
                closed++;
                Last.Close(closed == 1 ? 4002 : 1009);
            }
            else if (client.IsOnline)
                foreach (var frame in Last.Sent.ToArray())
                    if (frame.Key != "home:time") Last.Tell("home:reply", Object("commandId", frame.Value["commandId"], "events", new object[0]));
            Frames(client, 4);
        }
        var why = sent[1].IsFaulted ? sent[1].Exception.InnerException.Message : "none";
        Console.WriteLine($"thrown out {closed} answered {sent[0].IsCompleted && !sent[0].IsFaulted} {sent[2].IsCompleted && !sent[2].IsFaulted} refused {why}");
    }

    /// <summary>A new player, whose log has no event yet, and who is erased later.</summary>
    static void BeginAnew()
    {
        var client = new Kibble.HomeClient();
        var told = new List<double>();
        var changes = 0;
        client.Happened += happened => told.Add(Convert.ToDouble(happened["seq"]));
        client.Changed += () => changes++;
        var renewed = "";
        client.Renewed += token => renewed = token;
        client.Connect("another token");
        Frames(client, 1);
        var isFirst = !joins[joins.Count - 1].ContainsKey("afterSeq");
        Snapshot(0, "first");
        Last.Close(1006);
        Frames(client, 11);
        Console.WriteLine($"new {isFirst} since {joins[joins.Count - 1]["afterSeq"]}");
        Snapshot(0, "first");
        Last.Tell("home:events", Object("events", Events(1, 2)));
        Snapshot(2, "first");
        Last.Tell("home:rejected", Object("code", "sync/ahead", "params", Object("seq", 0), "retryable", false));
        changes = 0;
        Snapshot(0, "second");
        Last.Tell("home:events", Object("events", Events(1, 1)));
        Last.Close(1006);
        Frames(client, 11);
        var join = joins[joins.Count - 1];
        Last.Tell("home:reply", Object("commandId", Ids("home:sync")[0], "events", new object[0]));
        var quiet = rooms.Count;
        Frames(client, 60);
        Console.WriteLine($"quiet joins {rooms.Count - quiet}");
        _ = client.Send("home:feed", Object("petId", "rex", "food", "snack"));
        var lateId = Ids("home:feed")[0];
        Last.IsDead = true;
        Frames(client, 14);
        Console.WriteLine($"dead joins {rooms.Count - quiet} again {Ids("home:feed").Contains(lateId)}");
        Console.WriteLine($"erased told {string.Join(" ", told)} changed {changes} since {join["afterSeq"]} of {join["epoch"]}");
        told.Clear();
        client.Close();
        client.Connect("the token of bea");
        Frames(client, 11);
        Snapshot(7, "second", "bea");
        Last.Tell("home:events", Object("events", Events(2, 8)));
        Last.Tell("home:token", Object("token", "the renewed token of bea"));
        Console.WriteLine($"another told {string.Join(" ", told)} renewed {renewed}");
    }
}
