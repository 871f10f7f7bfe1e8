// 
// THIS FILE HAS BEEN GENERATED AUTOMATICALLY
// DO NOT CHANGE IT MANUALLY UNLESS YOU KNOW WHAT YOU'RE DOING
// 
// GENERATED USING @colyseus/schema 5.0.34
// 

namespace Kibble {
	public partial class PetState : global::Colyseus.Schema.Schema {
#if UNITY_5_3_OR_NEWER
		[global::UnityEngine.Scripting.Preserve]
#endif
		public PetState() { }

		[global::Colyseus.Schema.Type(0, "string")]
		public string id = default(string);

		[global::Colyseus.Schema.Type(1, "string")]
		public string name = default(string);

		[global::Colyseus.Schema.Type(2, "string")]
		public string species = default(string);

		[global::Colyseus.Schema.Type(3, "number")]
		public double xp = default(double);

		[global::Colyseus.Schema.Type(4, "number")]
		public double level = default(double);

		[global::Colyseus.Schema.Type(5, "string")]
		public string feedingId = default(string);

		[global::Colyseus.Schema.Type(6, "string")]
		public string food = default(string);

		[global::Colyseus.Schema.Type(7, "number")]
		public double startedAt = default(double);

		[global::Colyseus.Schema.Type(8, "number")]
		public double dueAt = default(double);

		[global::Colyseus.Schema.Type(9, "number")]
		public double totalMs = default(double);

		[global::Colyseus.Schema.Type(10, "number")]
		public double leftMs = default(double);

		[global::Colyseus.Schema.Type(11, "number")]
		public double sinceAt = default(double);

		[global::Colyseus.Schema.Type(12, "number")]
		public double boostRate = default(double);

		[global::Colyseus.Schema.Type(13, "number")]
		public double boostEndsAt = default(double);

		[global::Colyseus.Schema.Type(14, "number")]
		public double autoFeeds = default(double);

		[global::Colyseus.Schema.Type(15, "string")]
		public string waitingFor = default(string);
	}
}
