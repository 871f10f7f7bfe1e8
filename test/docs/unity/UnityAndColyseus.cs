// What the sample uses of Unity and of Colyseus' SDK for it (io.colyseus.sdk), as far as a test plays it by hand.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace UnityEngine
{
    public class MonoBehaviour { }

    [AttributeUsage(AttributeTargets.Field)]
    public class SerializeField : Attribute { }

    public static class Time
    {
        public static float realtimeSinceStartup;
    }

    public static class PlayerPrefs
    {
        static readonly Dictionary<string, string> kept = new Dictionary<string, string>();
        public static string GetString(string key) => kept[key];
        public static void SetString(string key, string value) => kept[key] = value;
    }
}

namespace Colyseus
{
    public delegate void CloseWithCodeEventHandler(int code);

    public class ReconnectionOptions
    {
        public bool Enabled = true;
    }

    public class MatchMakeException : Exception
    {
        public int Code;
    }

    public class HttpException : Exception
    {
        public int StatusCode;
    }

    public class Auth
    {
        public string Token { get; set; }
    }

    public class Client
    {
        public static Func<Dictionary<string, object>, object> Server;
        public Auth Auth = new Auth();

        public Client(string endpoint) { }

        public Task<Room<T>> JoinOrCreate<T>(string roomName, Dictionary<string, object> options = null)
            where T : class => Task.FromResult((Room<T>)Server(options));
    }

    public class Room<T>
    {
        public ReconnectionOptions Reconnection = new ReconnectionOptions();
        public event CloseWithCodeEventHandler OnLeave;
        public readonly List<KeyValuePair<string, Dictionary<string, object>>> Sent =
            new List<KeyValuePair<string, Dictionary<string, object>>>();
        readonly Dictionary<string, Action<Dictionary<string, object>>> handlers =
            new Dictionary<string, Action<Dictionary<string, object>>>();

        /// <summary>Of a dead connection: it looks open, and answers nothing.</summary>
        public bool IsDead;

        public Task Send(string type, object message)
        {
            Sent.Add(new KeyValuePair<string, Dictionary<string, object>>(type, (Dictionary<string, object>)message));
            if (type == "home:time" && !IsDead)
                Tell("home:reply", new Dictionary<string, object>
                {
                    ["commandId"] = ((Dictionary<string, object>)message)["commandId"], ["nowMs"] = 1.0,
                });
            return Task.FromResult(0);
        }

        public Task Leave(bool consented = true) => Task.FromResult(0);

        public void OnMessage<MessageType>(string type, Action<MessageType> handler) =>
            handlers[type] = message => handler((MessageType)(object)message);

        public void Close(int code) => OnLeave(code);

        public void Tell(string type, Dictionary<string, object> message) => handlers[type](message);
    }
}

namespace Colyseus.Schema
{
    public class Schema { }

    public class MapSchema<T> { }

    [AttributeUsage(AttributeTargets.Field)]
    public class Type : Attribute
    {
        public Type(int index, string type, System.Type childType = null, string childPrimitiveType = null) { }
    }
}
